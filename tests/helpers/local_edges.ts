/** Finds a platform's processes: its own, and those of its edges on this machine. @module */
import type { RunningPlatform } from "../../src/serve/mod.ts";
import { EDGE_PROCESS_ARGUMENT } from "../../src/lib/process_arguments.ts";
import { processOf } from "./platform.ts";

function read(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return "";
  }
}

/** Returns the edge processes, by name. */
export function edgeProcesses(platform: RunningPlatform): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const { name: pid } of Deno.readDirSync("/proc")) {
    const parent = / \d+ \((?:.*)\) \S (\d+) /.exec(` ${read(`/proc/${pid}/stat`)}`)?.[1];
    if (Number(parent) !== processOf(platform)) continue;
    const args = read(`/proc/${pid}/cmdline`).split("\0");
    const at = args.indexOf(EDGE_PROCESS_ARGUMENT);
    if (at !== -1) found.set(args[at + 1]!, Number(pid));
  }
  return found;
}

/** Returns all processes that serve requests on the platform's port. */
export const servingProcesses = (platform: RunningPlatform): readonly number[] => [
  processOf(platform),
  ...edgeProcesses(platform).values(),
];
