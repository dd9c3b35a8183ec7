/**
 * A platform as its users run it: `svc serve` as a process, with the options of
 * the test as flags and variables.
 *
 * @module
 */
import { makeTestFolder } from "../../src/lib/_test_folder.ts";
import { type Command, startProgram } from "../../scripts/_program.ts";
import type { PlatformOptions, RunningPlatform } from "../../src/serve/mod.ts";

/** Parts that no flag can give: only a platform in the test's own process has them. */
type InProcess = "now" | "minutes" | "openBuilds";

/** The options of a platform that its users can give as flags or variables. */
export type ProgramOptions =
  & Omit<PlatformOptions, InProcess | "version" | "log" | "builds" | "servers" | "images">
  & {
    readonly builds?: Omit<NonNullable<PlatformOptions["builds"]>, "sandbox">;
    readonly servers?: Omit<NonNullable<PlatformOptions["servers"]>, "support">;
    readonly images?: false;
  };

type Given = Omit<ProgramOptions, "dataDir" | "env">;

/** How an option is given to `serve`, or that no flag says it. */
type ToFlags<T> = (value: T) => readonly string[];

const one = (name: string): ToFlags<string | number> => (value) => [name, String(value)];
const each = (name: string): ToFlags<readonly string[]> => (values) =>
  values.flatMap((value) => [name, value]);
const mark = (name: string): ToFlags<boolean> => (isGiven) => isGiven ? [name] : [];
/** A time in milliseconds, as a flag of whole seconds. */
const seconds = (name: string): ToFlags<number> => (value) =>
  value % 1000 === 0 ? [name, String(value / 1000)] : none(`${name} of ${value} ms`)(value);
/** A size in bytes, as a flag of megabytes. */
const megabytes = (name: string): ToFlags<number> => (value) => [name, String(value / 1_000_000)];
/** A secret, which is given by a variable. */
const byVariable: ToFlags<unknown> = () => [];

function none(name: string): ToFlags<unknown> {
  return () => {
    throw new TypeError(
      `No flag of svc serve gives ${name}: start the platform with startInProcess()`,
    );
  };
}

type Table<T> = { readonly [K in keyof T]-?: ToFlags<NonNullable<T[K]>> };

function toFlags<T extends object>(table: Table<T>, given: T): string[] {
  return (Object.keys(given) as (keyof T)[]).flatMap((name) => {
    const value = given[name];
    return value === undefined || value === null ? [] : [...table[name](value)];
  });
}

const LIMITS: Table<NonNullable<NonNullable<Given["builds"]>["limits"]>> = {
  timeMs: (value) =>
    value % 60_000 === 0
      ? ["--build-minutes", String(value / 60_000)]
      : none("builds.limits.timeMs")(value),
  memoryBytes: megabytes("--build-memory-mb"),
  diskBytes: megabytes("--build-disk-mb"),
  processes: one("--build-processes"),
  fileBytes: megabytes("--build-file-mb"),
  cacheBytes: megabytes("--build-cache-mb"),
};

const FLAGS: Table<Given> = {
  unhandledErrors: none("unhandledErrors"),
  host: one("--host"),
  port: one("--port"),
  baseDomain: one("--base-domain"),
  publicUrl: one("--public-url"),
  kv: one("--kv"),
  blobs: one("--blobs"),
  keysFile: one("--keys-file"),
  nodeId: one("--node-id"),
  nodeUrl: one("--node-url"),
  blobCacheBytes: one("--blob-cache-size"),
  trustProxy: each("--trust-proxy"),
  replace: mark("--replace"),
  connections: (connections) =>
    toFlags<typeof connections>({
      maxConnections: one("--max-connections"),
      maxPerAddress: one("--max-connections-per-address"),
      handshakeMs: seconds("--handshake-timeout"),
      headMs: seconds("--head-timeout"),
      bodyMs: seconds("--body-timeout"),
      keepAliveMs: seconds("--keep-alive-timeout"),
    }, connections),
  geoip: one("--geoip"),
  asn: one("--asn"),
  dnsServer: one("--dns-server"),
  publicAddresses: each("--public-address"),
  httpsPort: one("--https-port"),
  tls: ({ certFile, keyFile }) => ["--tls-cert", certFile, "--tls-key", keyFile],
  acme: (acme) =>
    toFlags<typeof acme>({
      directoryUrl: one("--acme-directory"),
      contact: one("--acme-contact"),
      termsAgreed: mark("--acme-agree-terms"),
      serverCaFile: one("--acme-ca"),
    }, acme),
  allowPrivateUpstreams: mark("--allow-private-upstreams"),
  // Written to a file by `startProcess`.
  upstreamCa: () => [],
  upstreamTimes: (times) =>
    toFlags<typeof times>({
      connectMs: seconds("--upstream-connect-timeout"),
      idleMs: seconds("--upstream-idle-timeout"),
    }, times),
  mail: (mail) => toFlags<typeof mail>({ smtpUrl: byVariable, from: one("--mail-from") }, mail),
  retention: (retention) =>
    toFlags<typeof retention>({
      keepDeployments: one("--keep-deployments"),
      keepDays: one("--keep-days"),
    }, retention),
  housekeepingMs: (value) =>
    value % 600 === 0
      ? ["--housekeeping-minutes", String(value / 60_000)]
      : none("housekeepingMs")(value),
  servers: (servers) =>
    toFlags<typeof servers>({
      allowUnsandboxed: mark("--allow-unsandboxed-servers"),
    }, servers),
  caches: (caches) =>
    toFlags<typeof caches>({
      responses: one("--cache-size"),
      files: one("--static-cache-size"),
    }, caches),
  maxServers: one("--max-servers"),
  serverSockets: (limits) =>
    toFlags<typeof limits>({
      total: one("--max-sockets"),
      perServer: one("--max-sockets-per-server"),
    }, limits),
  maxFunctionProcesses: one("--max-function-processes"),
  images: () => ["--no-images"],
  buildConcurrency: (most) =>
    most === 0 ? ["--builds", "off"] : ["--build-concurrency", String(most)],
  resolveMs: seconds("--trigger-timeout"),
  builds: (builds) =>
    toFlags<typeof builds>({
      allowUnsandboxed: mark("--allow-unsandboxed-builds"),
      firstUid: one("--build-uid"),
      limits: (limits) => toFlags(LIMITS, limits),
    }, builds),
  gitRoots: each("--git-root"),
  bot: (bot) =>
    toFlags<typeof bot>({
      token: byVariable,
      api: one("--bot-api"),
      name: one("--bot-name"),
    }, bot),
  postgres: byVariable,
  postgresPort: (port) => ["--postgres-port", String(port)],
  metricsToken: byVariable,
  bootstrapToken: byVariable,
};

function secrets(
  { bootstrapToken, mail, bot, postgres, metricsToken }: Given,
): Record<string, string> {
  return {
    ...(bootstrapToken === undefined ? {} : { SVC_BOOTSTRAP_TOKEN: bootstrapToken }),
    ...(mail === undefined ? {} : { SVC_SMTP_URL: mail.smtpUrl }),
    ...(postgres === undefined ? {} : { SVC_POSTGRES_URL: postgres }),
    ...(metricsToken === undefined ? {} : { SVC_METRICS_TOKEN: metricsToken }),
    ...(bot === undefined ? {} : { SVC_BOT_TOKEN: bot.token }),
  };
}

/** What `serve` says of itself, and the platform in the process does not. */
const OWN_LINES = /^(?:Platform ready at|Stopping:|Reachable from other machines)/;

/** A line for people, as the platform logged it. */
function logLine(line: string): string | undefined {
  const { s, l, m } = JSON.parse(line) as Record<"s" | "l" | "m", string>;
  return s === "user" && !OWN_LINES.test(m) ? `${l} ${m}` : undefined;
}

/** The command line and the variables of `svc serve` for these options. */
export function serveCommand({ dataDir: _, env: __, upstreamCa: ___, ...given }: ProgramOptions): {
  readonly flags: readonly string[];
  readonly secrets: Readonly<Record<string, string>>;
} {
  return { flags: toFlags<Given>(FLAGS, given), secrets: secrets(given) };
}

/** Matches no line: all that the program writes to stderr is its log. */
const NO_LINE = /^\b$/;

export interface ProcessOptions {
  /** Starts the program. */
  readonly command: Command;
  /** Receives the log, as `level message`. */
  readonly logged: string[];
  /** Lines on stderr, beside the log, that the test expects. */
  readonly lines?: RegExp;
}

/**
 * Starts the program. Its end fails the test where it does not exit with 0, or
 * where it wrote something unexpected to stderr.
 */
export async function startProcess(
  options: ProgramOptions,
  { command, logged, lines = NO_LINE }: ProcessOptions,
): Promise<RunningPlatform & { readonly pid: number }> {
  const { dataDir, env, upstreamCa } = options;
  const folder = await makeTestFolder("svc-flags-");
  const caFile = `${folder}/upstream_ca.pem`;
  if (upstreamCa !== undefined) await Deno.writeTextFile(caFile, upstreamCa.join("\n"));
  const strays: string[] = [];
  const { SVC_BIN: _, ...rest } = env;
  const { flags, secrets } = serveCommand(options);
  const platform = await startProgram({
    command,
    dataDir,
    args: [...flags, ...(upstreamCa === undefined ? [] : ["--upstream-ca", caFile])],
    env: { ...definedVariables(rest), NO_COLOR: "1", ...secrets },
    onLine(line) {
      if (lines.test(line)) return;
      if (!line.startsWith("{")) return void strays.push(line);
      const said = logLine(line);
      if (said !== undefined) logged.push(said);
    },
  });
  let stopping: Promise<void> | undefined;
  const shutdown = async (): Promise<void> => {
    const code = await platform.stop();
    await Deno.remove(folder, { recursive: true });
    if (code !== 0) throw new Error(`svc serve ended with ${code}: ${platform.errors()}`);
    if (strays.length > 0) throw new Error(`Not a line of the log: ${strays.join("\n")}`);
  };
  const { url, port, httpsPort, token, ownerLink, pid, ended } = platform;
  return {
    url,
    port,
    httpsPort,
    token,
    ownerLink,
    pid,
    finished: ended.then(() => {}),
    // Asked to stop, the program leaves first by itself.
    leave: () => Promise.resolve(),
    showOnly: none("showOnly"),
    shutdown: () => stopping ??= shutdown(),
  };
}

function definedVariables(env: PlatformOptions["env"]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
