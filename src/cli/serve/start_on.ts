/**
 * From the flags of `serve` to a running platform.
 *
 * @module
 */
import { GeoFileError } from "../../edge/mod.ts";
import type { PlatformOptions, RunningPlatform } from "../../serve/mod.ts";
import { definedOnly } from "../command/mod.ts";
import { CliError } from "../errors/mod.ts";
import type { Context } from "../session/mod.ts";
import { VERSION } from "../version.ts";
import { readUpstreamCa } from "./upstream_ca.ts";

/** The flags of `serve`, as commander gives them. */
export interface ServeFlags {
  readonly host: string;
  readonly port: number;
  readonly baseDomain: string;
  readonly publicUrl?: string | undefined;
  readonly kv?: string | undefined;
  readonly blobs?: string | undefined;
  readonly trustProxy?: string[] | undefined;
  readonly maxConnections?: number | undefined;
  readonly maxConnectionsPerAddress?: number | undefined;
  readonly handshakeTimeout?: number | undefined;
  readonly headTimeout?: number | undefined;
  readonly bodyTimeout?: number | undefined;
  readonly keepAliveTimeout?: number | undefined;
  readonly allowPrivateUpstreams?: true | undefined;
  readonly upstreamCa?: string | undefined;
  readonly geoip?: string | undefined;
  readonly asn?: string | undefined;
  readonly tlsCert?: string | undefined;
  readonly tlsKey?: string | undefined;
  readonly httpsPort?: number | undefined;
  readonly acmeDirectory?: string | undefined;
  readonly acmeContact?: string | undefined;
  readonly acmeAgreeTerms?: true | undefined;
  readonly acmeCa?: string | undefined;
  readonly dnsServer?: string | undefined;
  readonly publicAddress?: string[] | undefined;
  readonly gitRoot?: string[] | undefined;
  readonly allowUnsandboxedBuilds?: true | undefined;
  readonly buildMinutes?: number | undefined;
  readonly buildMemoryMb?: number | undefined;
  readonly buildDiskMb?: number | undefined;
  readonly buildProcesses?: number | undefined;
  readonly buildUid?: number | undefined;
  readonly allowUnsandboxedServers?: true | undefined;
  readonly maxServers?: number | undefined;
  readonly maxFunctionProcesses?: number | undefined;
  readonly buildConcurrency?: number | undefined;
  readonly keepDeployments?: number | undefined;
  readonly keepDays?: number | undefined;
  readonly smtpUrl?: string | undefined;
  readonly mailFrom?: string | undefined;
  readonly botToken?: string | undefined;
  readonly botApi?: string | undefined;
  readonly botName?: string | undefined;
}

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

const MEGABYTE = 1_000_000;

const times = (value: number | undefined, unit: number): number | undefined =>
  value === undefined ? undefined : value * unit;

function buildsOf(flags: ServeFlags): NonNullable<PlatformOptions["builds"]> {
  const { buildMinutes, buildMemoryMb, buildDiskMb, buildProcesses, buildUid } = flags;
  return {
    allowUnsandboxed: flags.allowUnsandboxedBuilds ?? false,
    limits: definedOnly({
      timeMs: times(buildMinutes, 60_000),
      memoryBytes: times(buildMemoryMb, MEGABYTE),
      diskBytes: times(buildDiskMb, MEGABYTE),
      processes: buildProcesses,
    }),
    ...definedOnly({ firstUid: buildUid }),
  };
}

const milliseconds = (seconds: number | undefined): number | undefined =>
  seconds === undefined ? undefined : seconds * 1000;

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
 * Starts a platform.
 *
 * @throws {CliError} where flags do not fit together, a port or the data
 * directory is taken, or certificates can not be used.
 */
export async function startOn(
  ctx: Context,
  dataDir: string,
  flags: ServeFlags,
): Promise<RunningPlatform> {
  const { host, port, baseDomain, publicUrl, kv, blobs, geoip, asn, httpsPort } = flags;
  const { trustProxy, allowPrivateUpstreams, dnsServer, publicAddress } = flags;
  const [tls, acme] = [tlsOf(flags, ctx), acmeOf(flags, ctx)];
  const [mail, bot] = [mailOf(flags, ctx), botOf(flags, ctx)];
  const upstreamCa = flags.upstreamCa === undefined
    ? undefined
    : await readUpstreamCa(ctx.path(flags.upstreamCa));
  const platform = await import("../../serve/mod.ts");
  try {
    return await platform.startPlatform({
      host,
      port,
      dataDir,
      baseDomain,
      trustProxy: trustProxy ?? [],
      env: ctx.env,
      version: VERSION,
      log: ({ level, message }) => ctx.ui.log("deploy", level, message),
      ...definedOnly({ publicUrl, kv, blobs, geoip, asn, allowPrivateUpstreams, dnsServer }),
      ...definedOnly({ tls, acme, httpsPort, publicAddresses: publicAddress, upstreamCa }),
      ...definedOnly({ mail, bot, buildConcurrency: flags.buildConcurrency }),
      ...definedOnly({ maxServers: flags.maxServers }),
      ...definedOnly({ maxFunctionProcesses: flags.maxFunctionProcesses }),
      servers: { allowUnsandboxed: flags.allowUnsandboxedServers ?? false },
      connections: connectionsOf(flags),
      builds: buildsOf(flags),
      gitRoots: (flags.gitRoot ?? []).map((root) => ctx.path(root)),
      retention: {
        ...platform.DEFAULT_RETENTION,
        ...definedOnly({ keepDeployments: flags.keepDeployments, keepDays: flags.keepDays }),
      },
      ...definedOnly({ bootstrapToken: ctx.env.SVC_BOOTSTRAP_TOKEN || undefined }),
    });
  } catch (cause) {
    throw explain(cause, platform, flags);
  }
}

/** What a person can do about a platform that does not start. */
function explain(
  cause: unknown,
  platform: typeof import("../../serve/mod.ts"),
  { host, port, httpsPort }: ServeFlags,
): unknown {
  if (cause instanceof platform.DataDirInUseError) {
    return new CliError("data_dir_in_use", cause.message, { cause });
  }
  if (cause instanceof Deno.errors.AddrInUse) {
    const ports = httpsPort === undefined ? `${port}` : `${port} or ${httpsPort}`;
    return new CliError("port_in_use", `Use another port: ${host}:${ports} is taken`, {
      hint: "svc serve --port <port> listens elsewhere; port 0 takes a free one",
      cause,
    });
  }
  if (cause instanceof platform.DataDirUnusableError) {
    return new CliError("data_dir_unusable", cause.message, { cause });
  }
  if (cause instanceof platform.DataIncompleteError) {
    return new CliError("data_incomplete", cause.message, { cause });
  }
  if (cause instanceof platform.StoreUnusableError) {
    return new CliError("store_unusable", cause.message, { cause });
  }
  if (cause instanceof platform.KeyFileError) {
    return new CliError("keys_unusable", cause.message, { cause });
  }
  if (cause instanceof GeoFileError) {
    return new CliError("file_unusable", cause.message, { cause });
  }
  if (cause instanceof platform.ListenError) {
    return new CliError("not_listening", cause.message, {
      hint: "--host takes an address of this machine; ports below 1024 may need more rights",
      cause,
    });
  }
  const isUnusable = cause instanceof platform.CertificateFileError ||
    cause instanceof platform.ConnectionsUnsupportedError || cause instanceof TypeError;
  return isUnusable ? new CliError("usage", cause.message, { cause }) : cause;
}
