/**
 * The flags of `svc serve`, by subject.
 *
 * @module
 */
import { type Command, Option, type OptionValues } from "@commander-js/extra-typings";
import {
  byteSize,
  decimalNumber,
  hostName,
  httpUrl,
  nodeName,
  repeatedList,
  wholeNumber,
} from "../command/option_values.ts";

/** Where the platform listens, and where its data is. */
function addPlatformFlags<Flags extends OptionValues>(command: Command<[], Flags>) {
  return command
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--port <port>", "port; 0 takes a free one", wholeNumber({ min: 0, max: 65535 }), 8787)
    .option("--data-dir <dir>", "directory of all data (default: $XDG_DATA_HOME/svc)")
    .option(
      "--base-domain <domain>",
      "domain under which deployments get their hosts",
      hostName,
      "localhost",
    )
    .option("--public-url <url>", "address under which others reach the platform", httpUrl)
    .option(
      "--kv <place>",
      "records: Deno KV (path or URL), or postgres:// (default: in the data directory)",
    )
    .option(
      "--blobs <place>",
      "directory of file contents, or s3://bucket/prefix?endpoint=… (default: in the data " +
        "directory)",
    )
    .option(
      "--blob-cache-size <size>",
      "disk for files of an s3:// storage, such as 50GiB (default: 10GiB)",
      byteSize,
    )
    .option(
      "--keys-file <file>",
      "keys of secrets, the same file on all nodes (default: in the data directory)",
    )
    .option(
      "--node-id <name>",
      "name among nodes that share a store (default: made once, kept in the data directory)",
      nodeName,
    )
    .option(
      "--node-url <url>",
      "where other nodes reach this one (default: where it listens)",
      httpUrl,
    )
    .addOption(
      new Option("--log-format <format>", "lines of the log: text, or one JSON object each")
        .choices(["text", "json"] as const).default("text" as const),
    )
    .option("--replace", "take over from the platform on this data directory, dropping no request")
    .option("--background", "return when it answers, and leave it running")
    .option("--install", "install a system service (systemd or launchd) with these flags")
    .option("--dry-run", "with --install: print the service, and write nothing")
    .option(
      "--trust-proxy <cidr>",
      "proxies whose forwarding headers are trusted; repeatable",
      repeatedList,
    );
}

/** How many connections there are, and how long each step of one takes. */
function addConnectionFlags<Flags extends OptionValues>(command: Command<[], Flags>) {
  return command
    .option(
      "--max-connections <n>",
      "most connections at a time (default: half of the process's open-file limit)",
      wholeNumber({ min: 1, max: 1_000_000 }),
    )
    .option(
      "--max-connections-per-address <n>",
      "most connections of one address, trusted proxies exempt (default: 256)",
      wholeNumber({ min: 1, max: 1_000_000 }),
    )
    .option(
      "--handshake-timeout <s>",
      "seconds for a TLS handshake (default: 10)",
      wholeNumber({ min: 1, max: 3600 }),
    )
    .option(
      "--head-timeout <s>",
      "seconds for the head of a connection's first request (default: 15)",
      wholeNumber({ min: 1, max: 3600 }),
    )
    .option(
      "--body-timeout <s>",
      "seconds without progress of a body, in either direction (default: 60)",
      wholeNumber({ min: 1, max: 3600 }),
    )
    .option(
      "--keep-alive-timeout <s>",
      "seconds between an answer and the next request of a connection (default: 75)",
      wholeNumber({ min: 1, max: 86_400 }),
    );
}

/** Memory of the caches. */
function addCacheFlags<Flags extends OptionValues>(command: Command<[], Flags>) {
  return command
    .option(
      "--cache-size <size>",
      "memory for responses that rules cache, such as 256MiB (default: 1/16 of the machine's)",
      byteSize,
    )
    .option(
      "--static-cache-size <size>",
      "memory for small files of sites, such as 256MiB (default: 1/16 of the machine's)",
      byteSize,
    );
}

/** What the servers and functions of deployments may reach, and how many there are. */
function addComputeFlags<Flags extends OptionValues>(command: Command<[], Flags>) {
  return command
    .option(
      "--allow-private-upstreams",
      "let rewrites, functions and webhooks reach private addresses",
    )
    .option(
      "--allow-unsandboxed-servers",
      "run servers of deployments even without a complete sandbox",
    )
    .option(
      "--max-servers <n>",
      "most servers of deployments at a time (default: what the machine can bear)",
      wholeNumber({ min: 1, max: 100_000 }),
    )
    .option(
      "--max-sockets <n>",
      "most WebSockets to all servers together (default: by the open-file limit)",
      wholeNumber({ min: 1, max: 1_000_000 }),
    )
    .option(
      "--max-sockets-per-server <n>",
      "most WebSockets to one server (default: 1000, or half of those to all)",
      wholeNumber({ min: 1, max: 1_000_000 }),
    )
    .option(
      "--max-function-processes <n>",
      "most function processes at a time (default: what the machine can bear)",
      wholeNumber({ min: 1, max: 100_000 }),
    );
}

/** Converting images. */
function addImageFlags<Flags extends OptionValues>(command: Command<[], Flags>) {
  return command
    .option("--no-images", "do not convert images at /_svc/image")
    .option(
      "--max-image-processes <n>",
      "most processes that convert images at a time (default: half of the processors, at most 4)",
      wholeNumber({ min: 1, max: 64 }),
    )
    .option(
      "--image-cache-mb <n>",
      "most disk for converted images, in MB (default: 2048, a quarter of it for one project)",
      wholeNumber({ min: 1, max: 10_000_000 }),
    );
}

/** Builds from git: their sandbox and their limits. */
function addBuildFlags<Flags extends OptionValues>(command: Command<[], Flags>) {
  return command
    .option(
      "--git-root <dir>",
      "folder below which projects may have local repositories; repeatable",
      repeatedList,
    )
    .addOption(
      new Option("--builds <where>", "whether this node builds from git; off where other nodes do")
        .choices(["on", "off"] as const).default("on" as const),
    )
    .option("--allow-unsandboxed-builds", "build even where the system offers no sandbox")
    .option(
      "--build-minutes <n>",
      "longest time of one build (default: 15)",
      wholeNumber({ min: 1, max: 1440 }),
    )
    .option(
      "--build-memory-mb <n>",
      "most memory of one build, in MB (default: 4295)",
      wholeNumber({ min: 50, max: 1_000_000 }),
    )
    .option(
      "--build-disk-mb <n>",
      "most disk space of one build, in MB (default: 10737)",
      wholeNumber({ min: 10, max: 1_000_000_000 }),
    )
    .option(
      "--build-file-mb <n>",
      "largest file that a build writes, in MB (default: 2147)",
      wholeNumber({ min: 1, max: 1_000_000_000 }),
    )
    .option(
      "--build-cache-mb <n>",
      "build cache of a project, in MB; a larger one is emptied (default: 2147)",
      wholeNumber({ min: 0, max: 1_000_000_000 }),
    )
    .option(
      "--build-processes <n>",
      "most processes and threads of one build at a time (default: 1024)",
      wholeNumber({ min: 16, max: 100_000 }),
    )
    .option(
      "--build-uid <uid>",
      "first of the users that builds run as, if the platform is root (default: 60800)",
      wholeNumber({ min: 1000, max: 2_000_000_000 }),
    )
    .option(
      "--build-concurrency <n>",
      "most builds from git at a time (default: one for two processors)",
      wholeNumber({ min: 1, max: 1000 }),
    )
    .option(
      "--trigger-timeout <s>",
      "seconds that a deploy hook waits for its repository (default: 50)",
      wholeNumber({ min: 1, max: 3600 }),
    );
}

/** Which deployments are kept, and how often old ones are removed. */
function addRetentionFlags<Flags extends OptionValues>(command: Command<[], Flags>) {
  return command
    .option(
      "--keep-deployments <n>",
      "latest deployments of a project to keep, whatever their age (default: 50)",
      wholeNumber({ min: 1, max: 1_000_000 }),
    )
    .option(
      "--keep-days <days>",
      "days for which every deployment is kept (default: 30)",
      wholeNumber({ min: 0, max: 100_000 }),
    )
    .option(
      "--housekeeping-minutes <n>",
      "minutes between two rounds of housekeeping, such as 15 or 0.5 (default: 60)",
      decimalNumber({ min: 0.01, max: 10_080 }),
    );
}

/** Connections to other sites. */
function addUpstreamFlags<Flags extends OptionValues>(command: Command<[], Flags>) {
  return command
    .option(
      "--upstream-ca <file>",
      "PEM file with further authorities that rewrites and functions trust",
    )
    .option(
      "--upstream-connect-timeout <s>",
      "seconds to connect to another site, for rewrites and functions (default: 10)",
      wholeNumber({ min: 1, max: 3600 }),
    )
    .option(
      "--upstream-idle-timeout <s>",
      "seconds without a byte from another site (default: 60)",
      wholeNumber({ min: 1, max: 3600 }),
    );
}

/** Databases that say where an address is. */
function addAddressDataFlags<Flags extends OptionValues>(command: Command<[], Flags>) {
  return command
    .option("--geoip <file>", "MMDB file with countries, instead of the built-in one")
    .option("--asn <file>", "MMDB file with autonomous systems");
}

/** Certificates, and the domains that they are for. */
function addCertificateFlags<Flags extends OptionValues>(command: Command<[], Flags>) {
  return command
    .option("--tls-cert <file>", "PEM certificate chain for all hosts; needs --tls-key")
    .option("--tls-key <file>", "PEM private key of the certificate")
    .option(
      "--https-port <port>",
      "port for HTTPS, with --tls-cert or --acme-directory (default: 443)",
      wholeNumber({ min: 0, max: 65535 }),
    )
    .option("--acme-directory <url>", "certificates for custom domains from this ACME authority")
    .option("--acme-contact <email>", "email address for the authority")
    .option("--acme-agree-terms", "agree to the authority's terms of service")
    .option(
      "--acme-ca <file>",
      "PEM file with the authority of the ACME server itself, if that is private",
    )
    .option("--dns-server <address>", "DNS server that `domains verify` asks, host or host:port");
}

/** A port, or `none`. */
function portOrNone(text: string): number | "none" {
  return text === "none" ? text : wholeNumber({ min: 0, max: 65535 })(text);
}

/** Managed databases. */
function addDatabaseFlags<Flags extends OptionValues>(command: Command<[], Flags>) {
  return command
    .option(
      "--postgres <server>",
      "PostgreSQL server of databases: local, or postgres:// (with a password: SVC_POSTGRES_URL)",
    )
    .option(
      "--postgres-port <port>",
      "port for PostgreSQL clients; 0 takes a free one, none turns it off (default: the one after --port)",
      portOrNone,
    );
}

/** How the platform sends mail and Telegram messages. */
function addMessageFlags<Flags extends OptionValues>(command: Command<[], Flags>) {
  return command
    .option("--smtp-url <url>", "mail server, smtp[s]://user:pass@host:port (or SVC_SMTP_URL)")
    .option("--mail-from <address>", "sender of mails, as user@host or Name <user@host>")
    .option("--bot-token <token>", "token of a Telegram bot; better in SVC_BOT_TOKEN")
    .option("--bot-api <url>", "address of the Bot API, if it is not Telegram's own", httpUrl)
    .option("--bot-name <name>", "name of the bot, instead of asking the Bot API");
}

/** Declares the flags on an empty command; help lists them in this order. */
export function defineServeFlags(command: Command) {
  const hosting = addComputeFlags(addCacheFlags(addConnectionFlags(addPlatformFlags(command))));
  const storing = addDatabaseFlags(hosting);
  const deploying = addRetentionFlags(addBuildFlags(addImageFlags(storing)));
  const reaching = addAddressDataFlags(addUpstreamFlags(deploying));
  return addMessageFlags(addCertificateFlags(reaching))
    .option(
      "--public-address <ip>",
      "address of this platform for A and AAAA records; repeatable",
      repeatedList,
    );
}

/** The flags as the parser returns them. */
export type ServeFlags = ReturnType<ReturnType<typeof defineServeFlags>["opts"]>;
