/**
 * Starts the process that creates a backup.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { BACKUP_PROCESS_ARGUMENT } from "../../lib/process_arguments.ts";
import { spawnProgram } from "../../lib/spawn_program.ts";
import type { Environment } from "../../lib/network_variables.ts";
import { LOCAL } from "../../database/mod.ts";
import type { Foundation } from "../../platform/core/foundation.ts";
import { selfCommand } from "../../runtime/mod.ts";
import type { CompleteOptions } from "../options.ts";
import { type BackupResult, type BackupWork, resultSchema } from "./process_main.ts";

/** Maximum length of the process's output to keep, in characters. */
const LAST_WORDS = 2000;

/**
 * Returns the complete environment, because backups need the object storage keys and the database
 * passwords.
 */
function given(env: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** Maximum time that the process may take to stop, in milliseconds. */
const STOP_MS = 8000;

/** Creates a backup in a separate process. Aborting the signal stops it. */
async function runBackup(
  work: BackupWork,
  { env, signal }: { readonly env: Environment; readonly signal: AbortSignal },
): Promise<BackupResult> {
  signal.throwIfAborted();
  const command = selfCommand({
    argument: BACKUP_PROCESS_ARGUMENT,
    main: fileURLToPath(new URL("./process_main.ts", import.meta.url)),
    env,
    flags: () => ["--allow-all", "--unstable-kv", "--unstable-net"],
  })("-");
  const child = spawnProgram(command.command, {
    args: [...command.args],
    env: { ...given(env), ...command.env },
    clearEnv: true,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  });
  const writer = child.stdin.getWriter();
  let killing: ReturnType<typeof setTimeout> | undefined;
  const end = () => {
    writer.close().catch(() => {});
    killing = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
  };
  signal.addEventListener("abort", end, { once: true });
  try {
    await writer.write(new TextEncoder().encode(`${JSON.stringify(work)}\n`));
    const [stdout, stderr] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.status,
    ]);
    const line = stdout.trim().split("\n").at(-1) ?? "";
    if (line.startsWith("{")) return resultSchema.parse(JSON.parse(line));
    const words = stderr.trim().slice(-LAST_WORDS);
    return { error: `Its process exited without a result${words && `: ${words}`}`, hint: null };
  } finally {
    signal.removeEventListener("abort", end);
    clearTimeout(killing);
    await writer.abort().catch(() => {});
  }
}

/**
 * Runs backups with the configured settings. If a location is `undefined`, it is in the data
 * directory.
 */
export function backupRunner(
  { backups, dataDir, kv, blobs, keysFile, postgres, version }: CompleteOptions,
  { env }: Pick<Foundation, "env">,
): (signal: AbortSignal) => Promise<BackupResult> {
  const { place = "", keep, recipients } = backups;
  const work = {
    dataDir,
    kv,
    blobs,
    keys: keysFile,
    postgres: postgres === LOCAL ? undefined : postgres,
    place,
    recipients: [...recipients],
    keep,
    version,
  };
  return (signal) => runBackup(work, { env, signal });
}
