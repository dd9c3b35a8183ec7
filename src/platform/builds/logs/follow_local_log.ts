/** Reads the log of a build on this node from start to end while it is being written. @module */
import type { BuildLogLine } from "../../../contract/build_logs.ts";
import { Batches } from "../../../lib/batches.ts";
import type { BuildLogs, LoggedBuild } from "./build_logs.ts";

/** Yields the existing lines, and then new ones, until the build finishes or the signal aborts. */
export async function* followLocalLog(
  logs: BuildLogs,
  build: LoggedBuild,
  signal: AbortSignal,
): AsyncGenerator<readonly BuildLogLine[]> {
  const batches = new Batches<BuildLogLine>();
  const leave = logs.follow(build, (line) => {
    if (line === undefined) batches.end();
    else batches.push(line);
  });
  signal.addEventListener("abort", batches.end, { once: true });
  try {
    const existing = await logs.read(build);
    yield existing;
    if (leave === undefined || signal.aborted) return;
    const last = existing.at(-1)?.number ?? 0;
    for await (const lines of batches) yield lines.filter(({ number }) => number > last);
  } finally {
    leave?.();
    signal.removeEventListener("abort", batches.end);
  }
}
