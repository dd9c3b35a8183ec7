/**
 * @module The settings of `svc serve`. Flags, variables, `serve.toml`, help and docs are derived
 * from them.
 */
import {
  botName,
  choice,
  count,
  countOrAuto,
  country,
  decimalMinutes,
  duration,
  headers,
  host,
  hosts,
  type Kind,
  list,
  megabytes,
  minutes,
  nodeName,
  path,
  paths,
  port,
  portOrNone,
  postgresServer,
  seconds,
  size,
  text,
  toggle,
  url,
  urls,
} from "./kinds.ts";

export interface Setting {
  /** Name of the flag without its dashes, and the key in `serve.toml`. */
  readonly name: string;
  /**
   * Path of the value in the platform's options. Missing for settings that concern only the
   * command.
   */
  readonly option?: string;
  // deno-lint-ignore no-explicit-any -- each row has a different type
  readonly kind: Kind<any>;
  readonly help: string;
  readonly default?: unknown;
  /** A description of the default, if it depends on the machine or on another setting. */
  readonly usual?: string;
  /** True if `--help` shows the flag. `--help all` shows all flags. */
  readonly common?: true;
  /** Name of the variable, if it is not `SVC_SERVE_` followed by the setting's name. */
  readonly variable?: string;
  /**
   * True for a setting without a flag. Secrets have none, because other users of the machine can
   * read command lines.
   */
  readonly flagless?: true;
  /** `true` for a secret; `password` for a URL that is secret if it contains a password. */
  readonly secret?: true | "password";
  /** True if other settings in the same object have no effect without this one. */
  readonly required?: true;
}

/** A heading in the help, and its settings. */
export interface Group {
  readonly title: string;
  readonly settings: readonly Setting[];
}

const CONNECTIONS = { min: 1, max: 1_000_000 };
const PROCESSES = { min: 1, max: 100_000 };
const HOUR = 3600;
const MINUTE = 60_000;
const GIB = 1024 ** 3;

/** Services that accept TXT records, for DNS-01 challenges. */
const DNS_PROVIDERS = [
  "cloudflare",
  "desec",
  "digitalocean",
  "hetzner",
  "rfc2136",
  "route53",
  "svc",
] as const;

// deno-fmt-ignore -- the table is easier to read with each row on two lines
export const GROUPS = [
  { title: "Starting", settings: [
    { name: "config", kind: path("<file>"), common: true,
      help: "settings file, with flag names as keys; see --print-config" },
    { name: "print-config", kind: toggle(),
      help: "print the settings and their sources as a file for --config" },
    { name: "replace", option: "replace", kind: toggle(), common: true,
      help: "replace the running platform on this data directory without dropping requests" },
    { name: "background", kind: toggle(), common: true,
      help: "run in the background; return when it is ready" },
    { name: "install", kind: toggle(), common: true,
      help: "install a system service (systemd or launchd) with these flags" },
    { name: "dry-run", kind: toggle(),
      help: "with --install: print the service file without installing it" },
  ] },
  { title: "Addresses and data", settings: [
    { name: "host", option: "host", kind: text("<address>"), default: "127.0.0.1", common: true,
      help: "address to listen on" },
    { name: "port", option: "port", kind: port(), default: 8787, common: true,
      help: "port; 0 for any free port" },
    { name: "data-dir", option: "dataDir", kind: path("<dir>"), usual: "$XDG_DATA_HOME/svc",
      common: true, required: true, help: "data directory" },
    { name: "base-domain", option: "baseDomain", kind: host("<domain>"), default: "localhost",
      common: true, help: "base domain for deployment hostnames" },
    { name: "public-url", option: "publicUrl", kind: url("<url>"), common: true,
      help: "public URL of the platform" },
    { name: "trust-proxy", option: "trustProxy", kind: list("<cidr>"), default: [], common: true,
      help: "proxies whose forwarding headers to trust; repeatable" },
    { name: "public-address", option: "publicAddresses", kind: list("<ip>"),
      help: "address of this platform for A and AAAA records; repeatable" },
    { name: "log-format", option: "logFormat", kind: choice("<format>", ["text", "json"]),
      default: "text", help: "log format: text, or one JSON object per line" },
  ] },
  { title: "Storage and nodes", settings: [
    { name: "kv", option: "kv", kind: path("<place>"), usual: "in the data directory",
      help: "records: Deno KV (path or URL), or postgres://" },
    { name: "blobs", option: "blobs", kind: path("<place>"), usual: "in the data directory",
      help: "directory for file contents, or s3://bucket/prefix?endpoint=…" },
    { name: "blob-cache-size", option: "blobCacheBytes", kind: size(), default: 10 * GIB,
      help: "disk cache for files in s3:// storage, such as 50GiB" },
    { name: "keys-file", option: "keysFile", kind: path("<file>"), usual: "in the data directory",
      help: "keys file for secrets, the same on all nodes" },
    { name: "node-id", option: "nodeId", kind: nodeName("<name>"),
      usual: "created once, stored in the data directory",
      help: "unique name of this node" },
    { name: "node-url", option: "nodeUrl", kind: url("<url>"), usual: "the URL that it listens on",
      help: "URL for other nodes" },
  ] },
  { title: "Backups", settings: [
    { name: "backup", option: "backups.place", kind: path("<place>"), common: true,
      required: true, help: "back up regularly to a directory, s3://bucket/prefix?endpoint=… or sftp://user@host/folder?…" },
    { name: "backup-every", option: "backups.everyMs",
      kind: duration({ min: MINUTE, max: 31 * 24 * 60 * MINUTE }), default: 24 * 60 * MINUTE,
      help: "time between two backups, such as 6h" },
    { name: "keep", option: "backups.keep", kind: count({ min: 1, max: 10_000 }), default: 30,
      help: "number of verified backups to keep" },
    { name: "backup-recipient", option: "backups.recipients", kind: list("<age1…>"), default: [],
      help: "age public key to encrypt backups to; repeatable; see backup --keygen" },
  ] },
  { title: "Certificates and domains", settings: [
    { name: "tls-cert", option: "tls.certFile", kind: path("<file>"), required: true,
      help: "PEM certificate chain for all hosts; needs --tls-key" },
    { name: "tls-key", option: "tls.keyFile", kind: path("<file>"), required: true,
      help: "PEM private key of the certificate" },
    { name: "https-port", option: "httpsPort", kind: port(), default: 443,
      help: "port for HTTPS, with --https, --tls-cert or --acme-directory" },
    { name: "https", option: "https", kind: toggle(), common: true,
      help: "order certificates for all hosts from Let's Encrypt, or from --acme-directory, and " +
        "agree to the authority's terms of service" },
    { name: "acme-directory", option: "acme.directoryUrl", kind: text("<url>"),
      help: "ACME authority that issues certificates; without --https, for custom domains only" },
    { name: "acme-contact", option: "acme.contact", kind: text("<email>"), common: true,
      help: "email address for the authority" },
    { name: "acme-agree-terms", option: "acme.termsAgreed", kind: toggle(),
      help: "agree to the authority's terms of service" },
    { name: "acme-ca", option: "acme.serverCaFile", kind: path("<file>"),
      help: "PEM file with the certificate authority of a private ACME server" },
    { name: "acme-dns", option: "acmeDns.provider", required: true,
      kind: choice("<provider>", DNS_PROVIDERS), common: true,
      help: "DNS service to prove control of the base domain, for a wildcard certificate; svc means svc's own DNS server on --dns-port" },
    { name: "acme-dns-token", option: "acmeDns.token", kind: text("<token>"),
      variable: "SVC_ACME_DNS_TOKEN", flagless: true, secret: true,
      help: "API token for --acme-dns; id:secret for route53, algorithm:name:secret for rfc2136; none for svc" },
    { name: "acme-dns-server", option: "acmeDns.server", kind: text("<address>"),
      help: "with --acme-dns rfc2136: name server that accepts updates, IP address with or without a port" },
    { name: "acme-dns-alias", option: "acmeDns.alias", kind: host("<name>"),
      help: "target of the CNAME at _acme-challenge of the base domain, if there is one" },
    { name: "dns-port", option: "dns.port", kind: port(), required: true,
      help: "port for svc's own DNS server over UDP and TCP, usually 53; off without it" },
    { name: "dns-host", option: "dns.host", kind: text("<address>"), usual: "same as --host",
      help: "address that the DNS server listens on" },
    { name: "dns-name", option: "dns.names", kind: hosts("<name>"), usual: "subdomain ns of the base domain",
      help: "name of the DNS server in NS records; repeatable" },
    { name: "dns-country", option: "dns.country", kind: country("<code>"),
      usual: "looked up from --public-address",
      help: "country of this platform, to send clients to the nearest edge" },
    { name: "dns-server", option: "dnsServer", kind: text("<address>"), usual: "the system's",
      help: "DNS server for `domains verify`, IP address with or without a port" },
  ] },
  { title: "Connections", settings: [
    { name: "max-connections", option: "connections.maxConnections", kind: count(CONNECTIONS),
      usual: "half of the process's open-file limit", help: "maximum number of connections" },
    { name: "max-connections-per-address", option: "connections.maxPerAddress",
      kind: count(CONNECTIONS), usual: "256, or half of --max-connections",
      help: "maximum number of connections per IP address, except trusted proxies" },
    { name: "edges", option: "edges", kind: countOrAuto({ min: 0, max: 256 }), default: "auto",
      help: "front edges on this machine that share --port; auto is one per two processors, at most one per GiB of memory, and none with one or two processors, on systems other than Linux, or if the platform itself listens on HTTPS" },
    { name: "handshake-timeout", option: "connections.handshakeMs", kind: seconds(HOUR),
      default: 10_000, help: "timeout in seconds for a TLS handshake" },
    { name: "head-timeout", option: "connections.headMs", kind: seconds(HOUR), default: 15_000,
      help: "timeout in seconds for the first request on a connection" },
    { name: "body-timeout", option: "connections.bodyMs", kind: seconds(HOUR), default: 60_000,
      help: "timeout in seconds for a stalled body, in either direction" },
    { name: "keep-alive-timeout", option: "connections.keepAliveMs", kind: seconds(86_400),
      default: 75_000, help: "idle timeout in seconds for a connection" },
  ] },
  { title: "Caches", settings: [
    { name: "cache-size", option: "caches.responses", kind: size(),
      usual: "1/16 of the machine's",
      help: "memory for responses cached by rules, such as 256MiB" },
    { name: "static-cache-size", option: "caches.files", kind: size(),
      usual: "1/16 of the machine's", help: "memory for small site files, such as 256MiB" },
  ] },
  { title: "Servers and functions", settings: [
    { name: "allow-private-upstreams", option: "allowPrivateUpstreams", kind: toggle(),
      default: false, help: "allow rewrites, functions and webhooks to reach private addresses" },
    { name: "allow-unsandboxed-servers", option: "servers.allowUnsandboxed", kind: toggle(),
      default: false, help: "run deployed servers even without a full sandbox" },
    { name: "blob-quota", option: "blobQuota", kind: size(), default: 10 * 1024 ** 3,
      help: "maximum size of a project's blob stores" },
    { name: "max-servers", option: "maxServers", kind: count(PROCESSES),
      usual: "depends on the machine", help: "maximum number of deployed servers" },
    { name: "max-sockets", option: "serverSockets.total", kind: count(CONNECTIONS),
      usual: "depends on the open-file limit", help: "maximum number of WebSockets to all servers" },
    { name: "max-sockets-per-server", option: "serverSockets.perServer", kind: count(CONNECTIONS),
      usual: "1000, or half of the total limit", help: "maximum number of WebSockets per server" },
    { name: "max-function-processes", option: "maxFunctionProcesses", kind: count(PROCESSES),
      usual: "depends on the machine", help: "maximum number of function processes" },
  ] },
  { title: "Databases", settings: [
    { name: "postgres", option: "postgres", kind: postgresServer("<server>"),
      usual: "none; databases are embedded", variable: "SVC_POSTGRES_URL", common: true,
      secret: "password",
      help: "PostgreSQL server for databases: local, or postgres:// without a password" },
    { name: "postgres-port", option: "postgresPort", kind: portOrNone(),
      usual: "the one after --port",
      help: "port for PostgreSQL clients; 0 for any free port, none to turn it off" },
    { name: "db-history-days", option: "databaseHistory.days", kind: count({ min: 0, max: 365 }),
      default: 7, help: "days of history for restoring databases to a point in time; 0 for none" },
    { name: "db-history-size", option: "databaseHistory.bytes", kind: size(), default: 10 * GIB,
      help: "maximum size of the database history on disk, such as 50GiB" },
  ] },
  { title: "Images", settings: [
    { name: "no-images", option: "images.off", kind: toggle(), default: false,
      help: "do not convert images at /_svc/image" },
    { name: "max-image-processes", option: "images.maxProcesses",
      kind: count({ min: 1, max: 64 }), usual: "half of the processors, at most 4",
      help: "maximum number of image conversion processes" },
    { name: "image-cache-mb", option: "images.cacheBytes",
      kind: megabytes({ min: 1, max: 10_000_000 }), default: 2 * GIB,
      help: "disk space for converted images, up to a quarter per project; in MB or with a unit" },
  ] },
  { title: "Builds", settings: [
    { name: "git-root", option: "gitRoots", kind: paths("<dir>"), default: [],
      help: "folder for local repositories of projects; repeatable" },
    { name: "builds", option: "builds.here", kind: choice("<where>", ["on", "off"]),
      default: "on", help: "whether this node runs builds from git" },
    { name: "allow-unsandboxed-builds", option: "builds.allowUnsandboxed", kind: toggle(),
      default: false, help: "build even if the system has no sandbox" },
    { name: "build-minutes", option: "builds.limits.timeMs", kind: minutes({ min: 1, max: 1440 }),
      default: 15 * 60_000, help: "time limit for a build" },
    { name: "build-memory-mb", option: "builds.limits.memoryBytes",
      kind: megabytes({ min: 50, max: 1_000_000 }), default: 4 * GIB,
      help: "memory limit for a build, in MB or with a unit" },
    { name: "build-disk-mb", option: "builds.limits.diskBytes",
      kind: megabytes({ min: 10, max: 1_000_000_000 }), default: 10 * GIB,
      help: "disk limit for a build, in MB or with a unit" },
    { name: "build-file-mb", option: "builds.limits.fileBytes",
      kind: megabytes({ min: 1, max: 1_000_000_000 }), default: 2 * GIB,
      help: "file size limit for a build, in MB or with a unit" },
    { name: "build-cache-mb", option: "builds.limits.cacheBytes",
      kind: megabytes({ min: 0, max: 1_000_000_000 }), default: 2 * GIB,
      help: "size limit of a project's build cache, in MB or with a unit" },
    { name: "build-processes", option: "builds.limits.processes",
      kind: count({ min: 16, max: 100_000 }), default: 1024,
      help: "maximum number of processes and threads per build" },
    { name: "build-uid", option: "builds.firstUid",
      kind: count({ min: 1000, max: 2_000_000_000 }, "<uid>"), default: 60_800,
      help: "first user ID for builds, if the platform runs as root" },
    { name: "build-concurrency", option: "buildConcurrency", kind: count({ min: 1, max: 1000 }),
      usual: "one per two processors", help: "maximum number of builds at a time" },
    { name: "trigger-timeout", option: "resolveMs", kind: seconds(HOUR), default: 50_000,
      help: "seconds to wait for a deploy hook's repository" },
  ] },
  { title: "Retention", settings: [
    { name: "keep-deployments", option: "retention.keepDeployments", kind: count(CONNECTIONS),
      default: 50, help: "number of latest deployments to keep per project" },
    { name: "keep-days", option: "retention.keepDays",
      kind: count({ min: 0, max: 100_000 }, "<days>"), default: 30,
      help: "days to keep all deployments" },
    { name: "housekeeping-minutes", option: "housekeepingMs",
      kind: decimalMinutes({ min: 0.01, max: 10_080 }), default: 60 * 60_000,
      help: "minutes between housekeeping runs, such as 15 or 0.5" },
  ] },
  { title: "Other sites", settings: [
    { name: "upstream-ca", option: "upstreamCaFile", kind: path("<file>"),
      help: "PEM file with additional certificate authorities for rewrites and functions" },
    { name: "upstream-connect-timeout", option: "upstreamTimes.connectMs", kind: seconds(HOUR),
      default: 10_000, help: "connect timeout in seconds for rewrites and functions" },
    { name: "upstream-idle-timeout", option: "upstreamTimes.idleMs", kind: seconds(HOUR),
      default: 60_000, help: "read timeout in seconds for rewrites and functions" },
    { name: "geoip", option: "geoip", kind: path("<file>"), usual: "the built-in one",
      help: "MMDB country database" },
    { name: "asn", option: "asn", kind: path("<file>"),
      help: "MMDB database of autonomous systems" },
  ] },
  { title: "Mail and Telegram", settings: [
    { name: "smtp-url", option: "mail.smtpUrl", kind: text("<url>"), variable: "SVC_SMTP_URL",
      common: true, secret: true, required: true,
      help: "mail server, smtp[s]://user:pass@host:port" },
    { name: "mail-from", option: "mail.from", kind: text("<address>"),
      usual: "svc@ the platform's host",
      help: "sender of emails, as user@host or Name <user@host>" },
    { name: "bot-token", option: "bot.token", kind: text("<token>"), variable: "SVC_BOT_TOKEN",
      secret: true, required: true, help: "Telegram bot token" },
    { name: "bot-api", option: "bot.api", kind: url("<url>"),
      help: "URL of the Bot API (default: Telegram's)" },
    { name: "bot-name", option: "bot.name", kind: botName("<name>"),
      help: "name of the bot, instead of asking the Bot API" },
  ] },
  { title: "Logs and metrics", settings: [
    { name: "otlp", option: "otlp.urls", kind: urls("<url>"), required: true,
      help: "send logs, errors and metrics of all projects to this OTLP/HTTP endpoint; repeatable" },
    { name: "otlp-headers", option: "otlp.headers", kind: headers("<headers>"),
      variable: "SVC_OTLP_HEADERS", flagless: true, secret: true,
      help: "headers for --otlp: name=value, separated by commas; host:name=value for one host" },
  ] },
  { title: "Access", settings: [
    { name: "metrics-token", option: "metricsToken", kind: text("<token>"),
      variable: "SVC_METRICS_TOKEN", flagless: true, secret: true,
      help: "bearer token for /metrics; without it, only this machine has access" },
    { name: "bootstrap-token", option: "bootstrapToken", kind: text("<token>"),
      variable: "SVC_BOOTSTRAP_TOKEN", flagless: true, secret: true,
      help: "the first API key; random by default" },
  ] },
] as const satisfies readonly Group[];

type AnySetting = typeof GROUPS[number]["settings"][number];

export type PlatformSetting = Extract<AnySetting, { readonly option: string }>;

/** All settings, in the order of the help. */
export const SETTINGS: readonly Setting[] = GROUPS.flatMap(({ settings }) => [...settings]);

/** Whether a setting is allowed only on the command line, because it affects a single run. */
export const isAction = ({ name, option }: Setting): boolean =>
  option === undefined || name === "replace";

/** The prefix of a setting's environment variable, unless the setting names another variable. */
export const VARIABLE_PREFIX = "SVC_SERVE_";

/** Returns a setting's variable. */
export const variableOf = ({ name, variable }: Setting): string =>
  variable ?? `${VARIABLE_PREFIX}${name.toUpperCase().replaceAll("-", "_")}`;

/** The variable that specifies the config file, like `--config`. */
export const CONFIG_VARIABLE = `${VARIABLE_PREFIX}CONFIG`;

/** Returns a setting's flag, or its variable if it has no flag. */
export const flagOf = (setting: Setting): string =>
  setting.flagless === true ? variableOf(setting) : `--${setting.name}`;
