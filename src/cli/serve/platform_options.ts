/**
 * From the flags of `svc serve` to the options of the platform.
 *
 * @module
 */
import type { PlatformOptions } from "../../serve/mod.ts";
import { definedOnly } from "../command/defined_only.ts";
import { CliError } from "../errors/cli_error.ts";
import type { Context } from "../session/context.ts";
import { readCertificates } from "../session/certificates.ts";
import { VERSION } from "../version.ts";
import type { ServeFlags } from "./flags.ts";
import { postgresOf } from "./postgres_place.ts";
import { createPlatformLog } from "./platform_log.ts";

/** Two flags that are of no use alone. */
function together(first: string, second: string): CliError {
  return new CliError("usage", `Give ${first} and ${second} together`);
}

function tlsOf({ tlsCert, tlsKey }: ServeFlags, ctx: Context): PlatformOptions["tls"] {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined) throw together("--tls-cert", "--tls-key");
  return { certFile: ctx.path(tlsCert), keyFile: ctx.path(tlsKey) };
}

function acmeOf(flags: ServeFlags, ctx: Context): PlatformOptions["acme"] {
  const { acmeDirectory, acmeContact, acmeAgreeTerms, acmeCa } = flags;
  if (acmeDirectory === undefined) {
    if (acmeContact === undefined && acmeAgreeTerms === undefined && acmeCa === undefined) {
      return undefined;
    }
    throw new CliError("usage", "Name the ACME authority with --acme-directory");
  }
  if (acmeContact === undefined) throw together("--acme-directory", "--acme-contact");
  return {
    directoryUrl: acmeDirectory,
    contact: acmeContact,
    termsAgreed: acmeAgreeTerms === true,
    ...(acmeCa === undefined ? {} : { serverCaFile: ctx.path(acmeCa) }),
  };
}

/** Secrets may stand in the environment, where other users of the machine do not see them. */
function mailOf({ smtpUrl, mailFrom }: ServeFlags, { env }: Context): PlatformOptions["mail"] {
  const url = smtpUrl ?? (env.SVC_SMTP_URL || undefined);
  if (url === undefined) {
    if (mailFrom === undefined) return undefined;
    throw new CliError("usage", "Name the mail server with --smtp-url or SVC_SMTP_URL");
  }
  return { smtpUrl: url, ...definedOnly({ from: mailFrom }) };
}

function botOf(flags: ServeFlags, { env }: Context): PlatformOptions["bot"] {
  const { botToken, botApi, botName } = flags;
  const token = botToken ?? (env.SVC_BOT_TOKEN || undefined);
  if (token === undefined) {
    if (botApi === undefined && botName === undefined) return undefined;
    throw new CliError("usage", "Give the bot's token in SVC_BOT_TOKEN, or with --bot-token");
  }
  return { token, ...definedOnly({ api: botApi, name: botName?.replace(/^@/, "") }) };
}

function postgresPortOf({ postgresPort }: ServeFlags): PlatformOptions["postgresPort"] {
  return postgresPort === "none" ? null : postgresPort;
}

const MEGABYTE = 1_000_000;

const times = (value: number | undefined, unit: number): number | undefined =>
  value === undefined ? undefined : value * unit;

function buildsOf(flags: ServeFlags): NonNullable<PlatformOptions["builds"]> {
  return {
    allowUnsandboxed: flags.allowUnsandboxedBuilds ?? false,
    limits: definedOnly({
      timeMs: times(flags.buildMinutes, 60_000),
      memoryBytes: times(flags.buildMemoryMb, MEGABYTE),
      diskBytes: times(flags.buildDiskMb, MEGABYTE),
      fileBytes: times(flags.buildFileMb, MEGABYTE),
      cacheBytes: times(flags.buildCacheMb, MEGABYTE),
      processes: flags.buildProcesses,
    }),
    ...definedOnly({ firstUid: flags.buildUid }),
  };
}

/** One project may have a quarter of what all may have. */
const PROJECT_SHARE = 1 / 4;

function imagesOf(flags: ServeFlags): PlatformOptions["images"] {
  if (flags.images === false) return false;
  const maxBytes = times(flags.imageCacheMb, MEGABYTE);
  const maxProjectBytes = times(maxBytes, PROJECT_SHARE);
  return {
    limits: definedOnly({ maxProcesses: flags.maxImageProcesses }),
    quota: definedOnly({ maxBytes, maxProjectBytes }),
  };
}

const milliseconds = (seconds: number | undefined): number | undefined => times(seconds, 1000);

function connectionsOf(flags: ServeFlags): NonNullable<PlatformOptions["connections"]> {
  return definedOnly({
    maxConnections: flags.maxConnections,
    maxPerAddress: flags.maxConnectionsPerAddress,
    handshakeMs: milliseconds(flags.handshakeTimeout),
    headMs: milliseconds(flags.headTimeout),
    bodyMs: milliseconds(flags.bodyTimeout),
    keepAliveMs: milliseconds(flags.keepAliveTimeout),
  });
}

/**
 * Reads the options that the flags and the environment give; what is not given
 * is left to the platform.
 *
 * @throws {CliError} where flags do not fit together, or a file of certificates
 * cannot be used.
 */
export async function readPlatformOptions(
  ctx: Context,
  dataDir: string,
  flags: ServeFlags,
): Promise<PlatformOptions> {
  const { host, port, baseDomain, publicUrl, kv, blobs, geoip, asn, httpsPort } = flags;
  const { allowPrivateUpstreams, dnsServer, publicAddress: publicAddresses } = flags;
  const { buildConcurrency, maxServers, maxFunctionProcesses, upstreamCa } = flags;
  return {
    host,
    port,
    dataDir,
    baseDomain,
    trustProxy: flags.trustProxy ?? [],
    ...definedOnly({
      nodeId: flags.nodeId,
      nodeUrl: flags.nodeUrl,
      replace: flags.replace,
    }),
    env: ctx.env,
    version: VERSION,
    log: createPlatformLog(ctx, flags.logFormat),
    ...definedOnly({ metricsToken: ctx.env.SVC_METRICS_TOKEN || undefined }),
    ...definedOnly({
      keysFile: flags.keysFile === undefined ? undefined : ctx.path(flags.keysFile),
    }),
    ...definedOnly({ blobCacheBytes: flags.blobCacheSize }),
    ...definedOnly({ publicUrl, kv, blobs, geoip, asn, allowPrivateUpstreams, dnsServer }),
    ...definedOnly({ tls: tlsOf(flags, ctx), acme: acmeOf(flags, ctx), httpsPort }),
    ...definedOnly({ mail: mailOf(flags, ctx), bot: botOf(flags, ctx), publicAddresses }),
    ...definedOnly({ postgres: postgresOf(flags, ctx), postgresPort: postgresPortOf(flags) }),
    ...definedOnly({ buildConcurrency, maxServers, maxFunctionProcesses }),
    ...definedOnly({ resolveMs: milliseconds(flags.triggerTimeout) }),
    ...definedOnly({ housekeepingMs: times(flags.housekeepingMinutes, 60_000) }),
    ...(upstreamCa === undefined
      ? {}
      : { upstreamCa: await readCertificates(ctx.path(upstreamCa)) }),
    upstreamTimes: definedOnly({
      connectMs: milliseconds(flags.upstreamConnectTimeout),
      idleMs: milliseconds(flags.upstreamIdleTimeout),
    }),
    serverSockets: definedOnly({
      total: flags.maxSockets,
      perServer: flags.maxSocketsPerServer,
    }),
    servers: { allowUnsandboxed: flags.allowUnsandboxedServers ?? false },
    connections: connectionsOf(flags),
    caches: definedOnly({ responses: flags.cacheSize, files: flags.staticCacheSize }),
    builds: buildsOf(flags),
    ...(flags.builds === "off" ? { buildConcurrency: 0 } : {}),
    ...definedOnly({ images: imagesOf(flags) }),
    gitRoots: (flags.gitRoot ?? []).map((root) => ctx.path(root)),
    ...definedOnly({ bootstrapToken: ctx.env.SVC_BOOTSTRAP_TOKEN || undefined }),
  };
}
