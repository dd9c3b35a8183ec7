/**
 * The settings of `svc serve`, each declared once. Flags, variables, `serve.toml`, help, the
 * reference and the options of the platform follow from this table.
 *
 * @module
 */
import {
  botName,
  choice,
  count,
  decimalMinutes,
  host,
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
} from "./kinds.ts";

export interface Setting {
  /** Name of the flag without its dashes, and the key in `serve.toml`. */
  readonly name: string;
  /** The path of the value in the platform's options; missing for options of the command alone. */
  readonly option?: string;
  // deno-lint-ignore no-explicit-any -- each row has a type of its own
  readonly kind: Kind<any>;
  readonly help: string;
  readonly default?: unknown;
  /** The default in words, where the machine or another setting decides it. */
  readonly usual?: string;
  /** True for what `--help` shows; `--help all` shows the others too. */
  readonly common?: true;
  /** The variable, where it is not `SVC_SERVE_` and the name. */
  readonly variable?: string;
  /** True where no flag gives it: others on the machine can read command lines. */
  readonly flagless?: true;
  /** True for a secret; `password` for a URL that is one if it has a password. */
  readonly secret?: true | "password";
  /** True where other settings of its object are of no use without it. */
  readonly required?: true;
}

/** A heading of help with its settings. */
export interface Group {
  readonly title: string;
  readonly settings: readonly Setting[];
}

const CONNECTIONS = { min: 1, max: 1_000_000 };
const PROCESSES = { min: 1, max: 100_000 };
const HOUR = 3600;
const GIB = 1024 ** 3;

/** Services that take TXT records, for DNS-01 challenges. */
const DNS_PROVIDERS = [
  "cloudflare",
  "desec",
  "digitalocean",
  "hetzner",
  "rfc2136",
  "route53",
] as const;

// deno-fmt-ignore -- a table reads best with a row on two lines
export const GROUPS = [
  { title: "Starting", settings: [
    { name: "config", kind: path("<file>"), common: true,
      help: "file of settings, with the names of these flags as keys: see --print-config" },
    { name: "print-config", kind: toggle(),
      help: "print the settings as a file for --config, with where each is from, and end" },
    { name: "replace", option: "replace", kind: toggle(), common: true,
      help: "take over from the platform on this data directory, dropping no request" },
    { name: "background", kind: toggle(), common: true,
      help: "return when it answers, and leave it running" },
    { name: "install", kind: toggle(), common: true,
      help: "install a system service (systemd or launchd) with these flags" },
    { name: "dry-run", kind: toggle(),
      help: "with --install: print the service, and write nothing" },
  ] },
  { title: "Addresses and data", settings: [
    { name: "host", option: "host", kind: text("<address>"), default: "127.0.0.1", common: true,
      help: "address to listen on" },
    { name: "port", option: "port", kind: port(), default: 8787, common: true,
      help: "port; 0 takes a free one" },
    { name: "data-dir", option: "dataDir", kind: path("<dir>"), usual: "$XDG_DATA_HOME/svc",
      common: true, required: true, help: "directory of all data" },
    { name: "base-domain", option: "baseDomain", kind: host("<domain>"), default: "localhost",
      common: true, help: "domain under which deployments get their hosts" },
    { name: "public-url", option: "publicUrl", kind: url("<url>"), common: true,
      help: "address under which others reach the platform" },
    { name: "trust-proxy", option: "trustProxy", kind: list("<cidr>"), default: [], common: true,
      help: "proxies whose forwarding headers are trusted; repeatable" },
    { name: "public-address", option: "publicAddresses", kind: list("<ip>"),
      help: "address of this platform for A and AAAA records; repeatable" },
    { name: "log-format", option: "logFormat", kind: choice("<format>", ["text", "json"]),
      default: "text", help: "lines of the log: text, or one JSON object each" },
  ] },
  { title: "Storage and nodes", settings: [
    { name: "kv", option: "kv", kind: path("<place>"), usual: "in the data directory",
      help: "records: Deno KV (path or URL), or postgres://" },
    { name: "blobs", option: "blobs", kind: path("<place>"), usual: "in the data directory",
      help: "directory of file contents, or s3://bucket/prefix?endpoint=…" },
    { name: "blob-cache-size", option: "blobCacheBytes", kind: size(), default: 10 * GIB,
      help: "disk for files of an s3:// storage, such as 50GiB" },
    { name: "keys-file", option: "keysFile", kind: path("<file>"), usual: "in the data directory",
      help: "keys of secrets, the same file on all nodes" },
    { name: "node-id", option: "nodeId", kind: nodeName("<name>"),
      usual: "created once, stored in the data directory",
      help: "name among nodes that share a store" },
    { name: "node-url", option: "nodeUrl", kind: url("<url>"), usual: "where it listens",
      help: "where other nodes reach this one" },
  ] },
  { title: "Certificates and domains", settings: [
    { name: "tls-cert", option: "tls.certFile", kind: path("<file>"), required: true,
      help: "PEM certificate chain for all hosts; needs --tls-key" },
    { name: "tls-key", option: "tls.keyFile", kind: path("<file>"), required: true,
      help: "PEM private key of the certificate" },
    { name: "https-port", option: "httpsPort", kind: port(), default: 443,
      help: "port for HTTPS, with --tls-cert or --acme-directory" },
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
      help: "PEM file with the authority of the ACME server itself, if that is private" },
    { name: "acme-dns", option: "acmeDns.provider", required: true,
      kind: choice("<provider>", DNS_PROVIDERS), common: true,
      help: "DNS service that proves the base domain, for one wildcard certificate" },
    { name: "acme-dns-token", option: "acmeDns.token", kind: text("<token>"), required: true,
      variable: "SVC_ACME_DNS_TOKEN", flagless: true, secret: true,
      help: "its API token; id:secret for route53, algorithm:name:secret for rfc2136" },
    { name: "acme-dns-server", option: "acmeDns.server", kind: text("<address>"),
      help: "with --acme-dns rfc2136: name server that takes updates, host or host:port" },
    { name: "acme-dns-alias", option: "acmeDns.alias", kind: host("<name>"),
      help: "name that _acme-challenge of the base domain is a CNAME of, if it is one" },
    { name: "dns-server", option: "dnsServer", kind: text("<address>"), usual: "the system's",
      help: "DNS server that `domains verify` asks, host or host:port" },
  ] },
  { title: "Connections", settings: [
    { name: "max-connections", option: "connections.maxConnections", kind: count(CONNECTIONS),
      usual: "half of the process's open-file limit", help: "most connections at a time" },
    { name: "max-connections-per-address", option: "connections.maxPerAddress",
      kind: count(CONNECTIONS), usual: "256, or half of --max-connections",
      help: "most connections of one address, trusted proxies exempt" },
    { name: "handshake-timeout", option: "connections.handshakeMs", kind: seconds(HOUR),
      default: 10_000, help: "seconds for a TLS handshake" },
    { name: "head-timeout", option: "connections.headMs", kind: seconds(HOUR), default: 15_000,
      help: "seconds for the head of a connection's first request" },
    { name: "body-timeout", option: "connections.bodyMs", kind: seconds(HOUR), default: 60_000,
      help: "seconds without progress of a body, in either direction" },
    { name: "keep-alive-timeout", option: "connections.keepAliveMs", kind: seconds(86_400),
      default: 75_000, help: "seconds between a response and the next request of a connection" },
  ] },
  { title: "Caches", settings: [
    { name: "cache-size", option: "caches.responses", kind: size(),
      usual: "1/16 of the machine's",
      help: "memory for responses that rules cache, such as 256MiB" },
    { name: "static-cache-size", option: "caches.files", kind: size(),
      usual: "1/16 of the machine's", help: "memory for small files of sites, such as 256MiB" },
  ] },
  { title: "Servers and functions", settings: [
    { name: "allow-private-upstreams", option: "allowPrivateUpstreams", kind: toggle(),
      default: false, help: "let rewrites, functions and webhooks reach private addresses" },
    { name: "allow-unsandboxed-servers", option: "servers.allowUnsandboxed", kind: toggle(),
      default: false, help: "run servers of deployments even without a complete sandbox" },
    { name: "max-servers", option: "maxServers", kind: count(PROCESSES),
      usual: "what the machine can bear", help: "most servers of deployments at a time" },
    { name: "max-sockets", option: "serverSockets.total", kind: count(CONNECTIONS),
      usual: "by the open-file limit", help: "most WebSockets to all servers together" },
    { name: "max-sockets-per-server", option: "serverSockets.perServer", kind: count(CONNECTIONS),
      usual: "1000, or half of those to all", help: "most WebSockets to one server" },
    { name: "max-function-processes", option: "maxFunctionProcesses", kind: count(PROCESSES),
      usual: "what the machine can bear", help: "most function processes at a time" },
  ] },
  { title: "Databases", settings: [
    { name: "postgres", option: "postgres", kind: postgresServer("<server>"),
      usual: "none; databases are embedded", variable: "SVC_POSTGRES_URL", common: true,
      secret: "password",
      help: "PostgreSQL server of databases: local, or postgres:// without a password" },
    { name: "postgres-port", option: "postgresPort", kind: portOrNone(),
      usual: "the one after --port",
      help: "port for PostgreSQL clients; 0 takes a free one, none turns it off" },
  ] },
  { title: "Images", settings: [
    { name: "no-images", option: "images.off", kind: toggle(), default: false,
      help: "do not convert images at /_svc/image" },
    { name: "max-image-processes", option: "images.maxProcesses",
      kind: count({ min: 1, max: 64 }), usual: "half of the processors, at most 4",
      help: "most processes that convert images at a time" },
    { name: "image-cache-mb", option: "images.cacheBytes",
      kind: megabytes({ min: 1, max: 10_000_000 }), default: 2 * GIB,
      help: "most disk for converted images, a quarter of it for one project; in MB or with a unit" },
  ] },
  { title: "Builds", settings: [
    { name: "git-root", option: "gitRoots", kind: paths("<dir>"), default: [],
      help: "folder below which projects may have local repositories; repeatable" },
    { name: "builds", option: "builds.here", kind: choice("<where>", ["on", "off"]),
      default: "on", help: "whether this node builds from git; off where other nodes do" },
    { name: "allow-unsandboxed-builds", option: "builds.allowUnsandboxed", kind: toggle(),
      default: false, help: "build even where the system offers no sandbox" },
    { name: "build-minutes", option: "builds.limits.timeMs", kind: minutes({ min: 1, max: 1440 }),
      default: 15 * 60_000, help: "longest time of one build" },
    { name: "build-memory-mb", option: "builds.limits.memoryBytes",
      kind: megabytes({ min: 50, max: 1_000_000 }), default: 4 * GIB,
      help: "most memory of one build, in MB or with a unit" },
    { name: "build-disk-mb", option: "builds.limits.diskBytes",
      kind: megabytes({ min: 10, max: 1_000_000_000 }), default: 10 * GIB,
      help: "most disk space of one build, in MB or with a unit" },
    { name: "build-file-mb", option: "builds.limits.fileBytes",
      kind: megabytes({ min: 1, max: 1_000_000_000 }), default: 2 * GIB,
      help: "largest file that a build writes, in MB or with a unit" },
    { name: "build-cache-mb", option: "builds.limits.cacheBytes",
      kind: megabytes({ min: 0, max: 1_000_000_000 }), default: 2 * GIB,
      help: "build cache of a project, in MB or with a unit; a larger one is emptied" },
    { name: "build-processes", option: "builds.limits.processes",
      kind: count({ min: 16, max: 100_000 }), default: 1024,
      help: "most processes and threads of one build at a time" },
    { name: "build-uid", option: "builds.firstUid",
      kind: count({ min: 1000, max: 2_000_000_000 }, "<uid>"), default: 60_800,
      help: "first of the users that builds run as, if the platform is root" },
    { name: "build-concurrency", option: "buildConcurrency", kind: count({ min: 1, max: 1000 }),
      usual: "one for two processors", help: "most builds from git at a time" },
    { name: "trigger-timeout", option: "resolveMs", kind: seconds(HOUR), default: 50_000,
      help: "seconds that a deploy hook waits for its repository" },
  ] },
  { title: "Retention", settings: [
    { name: "keep-deployments", option: "retention.keepDeployments", kind: count(CONNECTIONS),
      default: 50, help: "latest deployments of a project to keep, whatever their age" },
    { name: "keep-days", option: "retention.keepDays",
      kind: count({ min: 0, max: 100_000 }, "<days>"), default: 30,
      help: "days for which every deployment is kept" },
    { name: "housekeeping-minutes", option: "housekeepingMs",
      kind: decimalMinutes({ min: 0.01, max: 10_080 }), default: 60 * 60_000,
      help: "minutes between two rounds of housekeeping, such as 15 or 0.5" },
  ] },
  { title: "Other sites", settings: [
    { name: "upstream-ca", option: "upstreamCaFile", kind: path("<file>"),
      help: "PEM file with further authorities that rewrites and functions trust" },
    { name: "upstream-connect-timeout", option: "upstreamTimes.connectMs", kind: seconds(HOUR),
      default: 10_000, help: "seconds to connect to another site, for rewrites and functions" },
    { name: "upstream-idle-timeout", option: "upstreamTimes.idleMs", kind: seconds(HOUR),
      default: 60_000, help: "seconds without a byte from another site" },
    { name: "geoip", option: "geoip", kind: path("<file>"), usual: "the built-in one",
      help: "MMDB file with countries" },
    { name: "asn", option: "asn", kind: path("<file>"),
      help: "MMDB file with autonomous systems" },
  ] },
  { title: "Mail and Telegram", settings: [
    { name: "smtp-url", option: "mail.smtpUrl", kind: text("<url>"), variable: "SVC_SMTP_URL",
      common: true, secret: true, required: true,
      help: "mail server, smtp[s]://user:pass@host:port" },
    { name: "mail-from", option: "mail.from", kind: text("<address>"),
      usual: "svc@ the platform's host",
      help: "sender of mails, as user@host or Name <user@host>" },
    { name: "bot-token", option: "bot.token", kind: text("<token>"), variable: "SVC_BOT_TOKEN",
      secret: true, required: true, help: "token of a Telegram bot" },
    { name: "bot-api", option: "bot.api", kind: url("<url>"),
      help: "address of the Bot API, if it is not Telegram's own" },
    { name: "bot-name", option: "bot.name", kind: botName("<name>"),
      help: "name of the bot, instead of asking the Bot API" },
  ] },
  { title: "Access", settings: [
    { name: "metrics-token", option: "metricsToken", kind: text("<token>"),
      variable: "SVC_METRICS_TOKEN", flagless: true, secret: true,
      help: "bearer token for /metrics, which only this machine reads without it" },
    { name: "bootstrap-token", option: "bootstrapToken", kind: text("<token>"),
      variable: "SVC_BOOTSTRAP_TOKEN", flagless: true, secret: true,
      help: "the first API key; random by default" },
  ] },
] as const satisfies readonly Group[];

type AnySetting = typeof GROUPS[number]["settings"][number];

/** The settings that are options of the platform, each with its type. */
export type PlatformSetting = Extract<AnySetting, { readonly option: string }>;

/** All settings, in the order of help. */
export const SETTINGS: readonly Setting[] = GROUPS.flatMap(({ settings }) => [...settings]);

/** Whether only the command line gives it: what this one run does. */
export const isAction = ({ name, option }: Setting): boolean =>
  option === undefined || name === "replace";

/** The prefix of variables without another name. */
export const VARIABLE_PREFIX = "SVC_SERVE_";

/** The variable that gives a setting. */
export const variableOf = ({ name, variable }: Setting): string =>
  variable ?? `${VARIABLE_PREFIX}${name.toUpperCase().replaceAll("-", "_")}`;

/** Names the file, as `--config` does. */
export const CONFIG_VARIABLE = `${VARIABLE_PREFIX}CONFIG`;

/** The flag that gives a setting, or its variable where there is no flag. */
export const flagOf = (setting: Setting): string =>
  setting.flagless === true ? variableOf(setting) : `--${setting.name}`;
