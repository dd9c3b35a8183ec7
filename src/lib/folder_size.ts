/** @module Uses `du` to watch the disk usage of folders that untrusted code writes to. */
import { runProgram } from "./spawn_program.ts";

interface SizeWatch {
  /** Aborted when the folders are too large, or have too many files to count in time. */
  readonly exceeded: AbortSignal;
  stop(): Promise<void>;
}

/** Pause between two counts, in milliseconds. A long count is followed by a longer pause. */
const PAUSE_MS = 1000;
const PAUSE_PER_COUNT = 4;

/**
 * Maximum time to count the files in folders, in milliseconds. If counting takes longer, the
 * folders have too many files.
 */
const COUNT_MS = 30_000;

/** Returns the number of bytes on disk, or `undefined` if counting took too long. */
async function sizeOnDisk(
  folders: readonly string[],
  signal: AbortSignal,
): Promise<number | undefined> {
  const late = AbortSignal.timeout(COUNT_MS);
  try {
    const { stdout } = await runProgram("nice", {
      args: ["-n", "10", "du", "-s", "-k", "-x", "--", ...folders],
      clearEnv: true,
      env: { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C" },
      stdin: "null",
      stdout: "piped",
      stderr: "null",
      signal: AbortSignal.any([signal, late]),
    });
    if (late.aborted) return undefined;
    // `du` fails if files disappear while it counts, but its output is still correct.
    const lines = new TextDecoder().decode(stdout).split("\n");
    return lines.reduce((sum, line) => sum + (Number.parseInt(line, 10) || 0), 0) * 1024;
  } catch (error) {
    if (late.aborted) return undefined;
    if (signal.aborted) return 0;
    throw error;
  }
}

/**
 * Watches folders until the returned watch is stopped. Folders that cannot be counted are treated
 * as too large.
 */
export function watchSize(
  folders: readonly string[],
  limits: { readonly maxBytes: number },
): SizeWatch {
  const exceeded = new AbortController();
  const stopped = new AbortController();
  const { signal } = stopped;
  const watching = (async () => {
    let pause = PAUSE_MS;
    while (!signal.aborted) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pause);
        signal.addEventListener("abort", () => {
          clearTimeout(timer);
          resolve();
        }, { once: true });
      });
      if (signal.aborted) return;
      const started = performance.now();
      const bytes = await sizeOnDisk(folders, signal);
      pause = Math.max(PAUSE_MS, (performance.now() - started) * PAUSE_PER_COUNT);
      if (bytes === undefined || bytes > limits.maxBytes) return exceeded.abort();
    }
  })().catch(() => exceeded.abort());
  return {
    exceeded: exceeded.signal,
    async stop() {
      stopped.abort();
      await watching;
    },
  };
}

/**
 * Returns the size of a folder on disk, in bytes, or `undefined` if the folder has too many files
 * to count.
 */
export async function folderSize(folder: string): Promise<number | undefined> {
  return await sizeOnDisk([folder], new AbortController().signal);
}
