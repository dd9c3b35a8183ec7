/**
 * Runs a platform as users do: `svc serve` as a process, with the test's options as flags and
 * variables.
 *
 * @module
 */
import { makeTestFolder } from "../../src/lib/_test_folder.ts";
import { type Command, startProgram } from "../../scripts/_program.ts";
import type { PlatformOptions, RunningPlatform } from "../../src/serve/mod.ts";
import {
  flagOf,
  type GivenSettings,
  optionAt,
  SETTINGS,
  variableOf,
} from "../../src/settings/mod.ts";

/**
 * The platform options that users can set with flags or variables, and options that only tests set.
 */
export type ProgramOptions =
  & GivenSettings
  & Pick<PlatformOptions, "env" | "upstreamCa" | "unhandledErrors">;

/** Messages from `serve` itself, which a platform in the test's process does not log. */
const OWN_LINES = /^(?:Platform ready at|Stopping:|Other machines can connect)/;

/**
 * Converts a log line to `level message`. Returns `undefined` for lines that a platform in the
 * test's process does not log.
 */
function logLine(line: string): string | undefined {
  const { s, l, m } = JSON.parse(line) as Record<"s" | "l" | "m", string>;
  return s === "user" && !OWN_LINES.test(m) ? `${l} ${m}` : undefined;
}

/** Returns the command line and the variables for `svc serve` with these options. */
export function serveCommand(options: GivenSettings): {
  readonly flags: readonly string[];
  readonly secrets: Readonly<Record<string, string>>;
} {
  const flags: string[] = [];
  const secrets: Record<string, string> = {};
  for (const setting of SETTINGS) {
    const { name, option, kind, secret } = setting;
    const value = option === undefined ? undefined : optionAt(options, option);
    // The data directory is passed separately.
    if (value === undefined || value === false || name === "data-dir") continue;
    const written = kind.write(value);
    if (secret !== undefined) secrets[variableOf(setting)] = String(written);
    else if (written === true) flags.push(flagOf(setting));
    else for (const each of [written].flat()) flags.push(flagOf(setting), String(each));
  }
  return { flags, secrets };
}

/** Matches no line, because everything that the program writes to stderr is the log. */
const NO_LINE = /^\b$/;

interface ProcessOptions {
  /** Starts the program. */
  readonly command: Command;
  /** Receives the log, as `level message`. */
  readonly logged: string[];
  /** Lines that the test expects on stderr in addition to the log. */
  readonly lines?: RegExp;
}

/**
 * Starts the program. When the program exits, the test fails if the exit code is not 0 or stderr
 * contains anything unexpected.
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
    args: [
      ...flags,
      ...(upstreamCa === undefined ? [] : ["--upstream-ca", caFile]),
    ],
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
    if (code !== 0) throw new Error(`svc serve exited with ${code}: ${platform.errors()}`);
    if (strays.length > 0) throw new Error(`Not log lines: ${strays.join("\n")}`);
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
    // When the program is told to stop, it first reports that it is not ready.
    leave: () => Promise.resolve(),
    showOnly() {
      throw new TypeError("svc serve has no flag for showing a single site. Use startInProcess()");
    },
    shutdown: () => stopping ??= shutdown(),
  };
}

function definedVariables(env: PlatformOptions["env"]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
