/**
 * One process of functions, from its start to its end.
 *
 * @module
 */
import type { CpuWatch } from "./cpu_watch.ts";
import type { FunctionWorker } from "./function_worker.ts";
import type { RunningProcess } from "./running_process.ts";
import type { FailureReason } from "./types.ts";

/** Memory of a worker that was replaced is given back within this time, mostly. */
const RECENT_MS = 5000;

export interface Generation {
  readonly process: RunningProcess;
  /** By the number that the process knows them by. */
  readonly workers: Map<number, FunctionWorker>;
  readonly startedAt: number;
  readonly cpu: CpuWatch;
  /** When workers of a function were replaced, by its name. */
  readonly replaced: Map<string, number>;
  end: { readonly reason: FailureReason; readonly message: string } | undefined;
}

/**
 * Who broke the process: functions that were running, unless memory ran out
 * after another had to be replaced, whose memory it may well be.
 */
export function suspectsOf({ workers, replaced, end }: Generation): string[] {
  const since = performance.now() - RECENT_MS;
  const recent = [...replaced].flatMap(([name, time]) => time > since ? [name] : []);
  if (end?.reason === "memory" && recent.length > 0) return recent;
  const busy = [...workers.values()].filter((worker) => worker.busy).map(({ name }) => name);
  return [...new Set([...busy, ...recent])];
}
