/** @module A function process, from its start to its end. */
import type { SupervisedProcess } from "../process/process_supervisor.ts";
import { CpuWatch, procTimes, setThreadPriority } from "./cpu_watch.ts";
import type { FunctionWorker } from "./function_worker.ts";
import type { RunningWorkerProcess } from "./start_worker_process.ts";
import type { End } from "./types.ts";
import { WorkerThreads } from "./worker_threads.ts";

/** Time after which most of a replaced worker's memory is released, in milliseconds. */
const RECENT_MS = 5000;

export class WorkerProcess implements SupervisedProcess {
  /** The workers, by their number in the process. */
  readonly workers = new Map<number, FunctionWorker>();
  /** Times when a function's workers were last replaced, by the function's name. */
  readonly replaced = new Map<string, number>();
  /** Reasons why workers are being replaced, by worker number. */
  readonly replacing = new Map<number, End>();
  readonly #threads: WorkerThreads;
  /** The workers' positions in the order of their start, by worker number. */
  readonly #ordinals = new Map<number, number>();
  /** The reason why the process exits, once it is certain to exit. */
  end: End | undefined;

  readonly cpu: CpuWatch;
  readonly startedAt = performance.now();

  constructor(readonly running: RunningWorkerProcess) {
    this.#threads = new WorkerThreads(running.pid);
    this.cpu = new CpuWatch(running.pid, {
      times: procTimes,
      now: () => performance.now(),
      setPriority: setThreadPriority,
    });
  }

  get gone(): Promise<unknown> {
    return this.running.ended;
  }

  get isEnding(): boolean {
    return this.end !== undefined;
  }

  /** True while a call runs in a worker, or a function is loaded. */
  get isBusy(): boolean {
    return [...this.workers.values()].some(({ busy, loading }) => busy || loading);
  }

  /** Records that a worker was the `ordinal`-th to start. */
  opened(number: number, ordinal: number): void {
    this.#ordinals.set(number, ordinal);
  }

  /** Returns the CPU time of a worker's thread, in milliseconds, if the system reports it. */
  spentMs(number: number): number | undefined {
    const ordinal = this.#ordinals.get(number);
    return ordinal === undefined ? undefined : this.#threads.spentMs(ordinal);
  }

  removeWorker(number: number): void {
    this.workers.delete(number);
    this.replacing.delete(number);
    this.#ordinals.delete(number);
  }

  /** Returns a function's workers, oldest first. */
  of(name: string): FunctionWorker[] {
    return [...this.workers.values()].filter((worker) => worker.name === name && !worker.leaving);
  }

  /**
   * Returns the worker for a function's next call: the first worker with a free thread or, if there
   * is none, the worker with the fewest calls.
   */
  find(name: string): FunctionWorker | undefined {
    let found: FunctionWorker | undefined;
    for (const worker of this.workers.values()) {
      if (worker.name !== name || worker.leaving) continue;
      if (!worker.spins) return worker;
      if (found === undefined || worker.callCount < found.callCount) found = worker;
    }
    return found;
  }

  die({ reason, message }: End): void {
    for (const worker of [...this.workers.values()]) worker.die(reason, message);
  }

  /**
   * Returns the functions that may have broken the process: those that are running, and those with
   * recently replaced workers. If memory ran out and workers were replaced recently, only their
   * functions are suspected.
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
