/**
 * One process of functions, from its start to its end.
 *
 * @module
 */
import type { SupervisedProcess } from "../process/mod.ts";
import { CpuWatch, procTimes, setThreadPriority } from "./cpu_watch.ts";
import type { FunctionWorker } from "./function_worker.ts";
import type { RunningWorkerProcess } from "./start_worker_process.ts";
import type { FailureReason } from "./types.ts";

/** Memory of a worker that was replaced is mostly given back within this time. */
const RECENT_MS = 5000;

/** Why a process ends. */
export interface End {
  readonly reason: FailureReason;
  readonly message: string;
}

export class WorkerProcess implements SupervisedProcess {
  /** By their number in the process. */
  readonly workers = new Map<number, FunctionWorker>();
  /** When workers of a function were replaced, by its name. */
  readonly replaced = new Map<string, number>();
  readonly cpu: CpuWatch;
  readonly startedAt = performance.now();
  /** Why it ends, as soon as that is certain. */
  end: End | undefined;

  constructor(readonly running: RunningWorkerProcess) {
    this.cpu = new CpuWatch(running.pid, {
      times: procTimes,
      now: () => performance.now(),
      setPriority: setThreadPriority,
    });
  }

  get isEnding(): boolean {
    return this.end !== undefined;
  }

  get gone(): Promise<unknown> {
    return this.running.ended;
  }

  /** True while a call runs in a worker, or a function is loaded. */
  get isBusy(): boolean {
    return [...this.workers.values()].some(({ busy, loading }) => busy || loading);
  }

  /** The worker of a function, where it has one. */
  find(name: string): FunctionWorker | undefined {
    for (const worker of this.workers.values()) if (worker.name === name) return worker;
    return undefined;
  }

  /**
   * The functions that may have broken the process: those that were running,
   * unless memory ran out after another had to be replaced, whose memory it may
   * well be.
   */
  suspects(): string[] {
    const since = performance.now() - RECENT_MS;
    const recent = [...this.replaced].flatMap(([name, time]) => time > since ? [name] : []);
    if (this.end?.reason === "memory" && recent.length > 0) return recent;
    const busy = [...this.workers.values()].filter((worker) => worker.busy)
      .map(({ name }) => name);
    return [...new Set([...busy, ...recent])];
  }
}
