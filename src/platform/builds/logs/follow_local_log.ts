/**
 * Reading the log of a build of this node from its first line to its last, while it is
 * written.
 *
 * @module
 */
import type { BuildLogLine } from "../../../contract/mod.ts";
import type { BuildLogs, LoggedBuild } from "./build_logs.ts";

/** Gives the existing lines, then new ones, until the build or the signal ends that. */
export async function* followLocalLog(
  logs: BuildLogs,
  build: LoggedBuild,
  signal: AbortSignal,
): AsyncGenerator<readonly BuildLogLine[]> {
  let waiting: BuildLogLine[] = [];
  let hasEnded = false;
  let wake = () => {};
  const end = () => {
    hasEnded = true;
    wake();
  };
  const leave = logs.follow(build, (line) => {
    if (line === undefined) return end();
    waiting.push(line);
    wake();
  });
  signal.addEventListener("abort", end, { once: true });
  try {
    const existing = await logs.read(build);
    yield existing;
    if (leave === undefined) return;
    const last = existing.at(-1)?.number ?? 0;
    waiting = waiting.filter(({ number }) => number > last);
    for (;;) {
      if (waiting.length > 0) {
        const lines = waiting;
        waiting = [];
        yield lines;
      } else if (hasEnded) return;
      else await new Promise<void>((resolve) => wake = resolve);
    }
  } finally {
    leave?.();
    signal.removeEventListener("abort", end);
  }
}
