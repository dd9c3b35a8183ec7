/** @module Manages a process and the functions that share it. */
import { attendProcess } from "../process/attend_process.ts";
import {
  NoPlaceError,
  type ProcessDriver,
  ProcessSupervisor,
} from "../process/process_supervisor.ts";
import { residentBytes } from "../process/resident_memory.ts";
import type { FunctionWorker } from "./function_worker.ts";
import { type FunctionLimits, groupLimits, memoryAllowanceMb } from "./limits.ts";
import { startWorkerProcess } from "./start_worker_process.ts";
import type {
  End,
  FailureReason,
  FunctionHostOptions,
  FunctionLogEntry,
  FunctionSource,
} from "./types.ts";
import { WorkerControl } from "./worker_control.ts";
import { WorkerProcess } from "./worker_process.ts";

interface FunctionSupervisorOptions {
  readonly host: FunctionHostOptions;
  readonly limits: FunctionLimits;
  readonly functions: readonly FunctionSource[];
  readonly log: (entry: Omit<FunctionLogEntry, "time">) => void;
  /** Returns true while calls of the deployment are running. */
  readonly busy: () => boolean;
  /** Called if the process broke, with the functions that may be the cause. */
  readonly broke: (supervisor: FunctionSupervisor, suspects: readonly string[]) => void;
}

/** Why a function has no worker. */
interface NoWorker {
  readonly problem: string;
  readonly reason: FailureReason;
}

/** Why the supervisor stops a process. The functions start again when one of them is called. */
const ENDS = {
  idle: "The functions were idle for too long",
  place: "The functions were stopped to make room for others",
  late: "The functions were not ready in time",
  closed: "The functions of the deployment have been shut down",
} as const;

export class FunctionSupervisor {
  readonly names: ReadonlySet<string>;
  readonly #supervisor: ProcessSupervisor<WorkerProcess>;
  readonly #control: WorkerControl;
  #attending: Promise<void> = Promise.resolve();
  #ending: Promise<void> | undefined;
  #restarting: ReturnType<typeof setTimeout> | undefined;

  readonly #options: FunctionSupervisorOptions;

  constructor(options: FunctionSupervisorOptions) {
    this.#options = options;
    this.names = new Set(options.functions.map(({ name }) => name));
    this.#control = new WorkerControl(options);
    const { idleMs, memoryPollMs } = options.limits;
    this.#supervisor = new ProcessSupervisor({
      driver: this.#driver(),
      places: options.host.places,
      noPlace: (max) => `All ${max} function processes are in use`,
      closed: ENDS.closed,
      idleMs,
      pollMs: memoryPollMs,
    });
  }

  /** While a process is being stopped, resolves once it has exited; otherwise `undefined`. */
  get ending(): Promise<void> | undefined {
    return this.#ending;
  }

  /** Process ID, while there is a process. */
  get pid(): number | undefined {
    return this.#supervisor.current?.running.pid;
  }

  /** Returns a function's worker. Starts the process if there is none. */
  async worker(name: string): Promise<FunctionWorker | NoWorker> {
    this.#supervisor.touch();
    const wait = this.#supervisor.backoff.waitMs;
    if (this.#supervisor.current === undefined && wait > 0) {
      const problem = `The function crashed its process. It will restart in ${wait} ms`;
      return { problem, reason: "crashed" };
    }
    try {
      const process = this.#supervisor.current ?? await this.#supervisor.start();
      return process.find(name) ?? this.#addAgain(process, name);
    } catch (error) {
      return {
        problem: error instanceof Error ? error.message : "The process did not start",
        reason: error instanceof NoPlaceError ? "overloaded" : "crashed",
      };
    }
  }

  /** Returns a function's worker if it can be used without waiting. */
  loaded(name: string): FunctionWorker | undefined {
    const { current } = this.#supervisor;
    if (current === undefined) return undefined;
    this.#supervisor.touch();
    const worker = current.find(name);
    return worker?.usable === true ? worker : undefined;
  }

  /**
   * Restarts a worker that exited between calls. This is done only when its function is called
   * again.
   */
  #addAgain(process: WorkerProcess, name: string): FunctionWorker | NoWorker {
    const definition = this.#options.functions.find((one) => one.name === name);
    if (definition === undefined) {
      return { problem: "The function has no worker", reason: "crashed" };
    }
    return this.#control.add(process, definition);
  }

  /** Starts the process and its workers, or joins a start in progress. */
  start(): Promise<WorkerProcess> {
    return this.#supervisor.start();
  }

  #driver(): ProcessDriver<WorkerProcess> {
    return {
      spawn: () => this.#spawn(),
      begin: (process) => {
        for (const definition of this.#options.functions) this.#control.add(process, definition);
        this.#attending = this.#attend(process);
      },
      isBusy: (process) => this.#options.busy() || process.isBusy,
      inspect: (process) => this.#inspect(process),
      end: (process, cause) => {
        this.#end(process, { reason: "aborted", message: ENDS[cause] });
        // If the process is closed while it starts, nothing else closes its connections.
        if (cause === "closed") process.running.close();
      },
    };
  }

  async #spawn(): Promise<WorkerProcess> {
    try {
      const { spawn, folderPrefix } = this.#options.host;
      const group = groupLimits(this.#options.limits, this.names.size);
      const options = { folderPrefix: await folderPrefix?.(), group };
      return new WorkerProcess(await startWorkerProcess(spawn, options));
    } catch (error) {
      this.#supervisor.backoff.failed();
      throw error;
    }
  }

  /** Stops an unused process. The next call starts it again. */
  async endUnused(): Promise<void> {
    const { current, isStarting } = this.#supervisor;
    const process = current ??
      (isStarting ? await this.#supervisor.start().catch(() => undefined) : undefined);
    if (process === undefined || process.isEnding) return;
    for (const worker of process.workers.values()) await worker.ready;
    if (this.#options.busy() || process.isBusy || this.#supervisor.current !== process) return;
    const message = "The functions of the deployment are no longer live";
    this.#end(process, { reason: "aborted", message });
  }

  async #attend(process: WorkerProcess): Promise<void> {
    const words = await attendProcess(process.running, {
      take: (frame) => this.#control.take(process, frame),
      failed: (error) => {
        process.end ??= { reason: "crashed", message: `The function process failed: ${error}` };
      },
    });
    this.#supervisor.release(process);
    if (process.end?.reason !== "aborted" && process.running.ranOut()) {
      process.end = { reason: "memory", message: "The functions ran out of memory" };
    }
    const known = process.end;
    const end = known ??
      { reason: "crashed" as const, message: "The function process exited" };
    const suspects = process.suspects();
    process.die(end);
    if (end.reason === "aborted") return;
    this.#supervisor.backoff.failed(process.startedAt);
    const firstWords = words.split("\n").find((line) => line.trim().length > 1) ?? "";
    const message = words === "" || known !== undefined
      ? end.message
      : `${end.message}: ${firstWords}`;
    for (const name of suspects.length > 0 ? suspects : this.names) {
      this.#options.log({ level: "error", function: name, message });
    }
    this.#options.broke(this, suspects);
  }

  /** Replaces a broken process, after a pause that depends on its failures. */
  restart(): void {
    clearTimeout(this.#restarting);
    const wait = Math.max(0, this.#supervisor.backoff.waitMs);
    this.#restarting = setTimeout(() => void this.start().catch(() => {}), wait);
  }

  /** Checks the memory of the process and the CPU time of each thread. */
  #inspect(process: WorkerProcess): void {
    const limit = this.#options.limits.memoryMb + memoryAllowanceMb(process.workers.size);
    const bytes = residentBytes(process.running.pid) ?? 0;
    if (bytes > limit * 1024 * 1024) {
      const used = Math.round(bytes / 1024 / 1024);
      const message = `The functions used ${used} MiB; the limit is ${limit} MiB`;
      return this.#end(process, { reason: "memory", message });
    }
    process.cpu.look();
    this.#control.look(process);
  }

  #end(process: WorkerProcess, end: End): void {
    process.end ??= end;
    this.#supervisor.release(process);
    this.#ending = this.#attending.finally(() => this.#ending = undefined);
    process.running.kill();
  }

  /** Stops the process. Calls in progress fail as aborted. */
  async close(): Promise<void> {
    clearTimeout(this.#restarting);
    const process = await this.#supervisor.close();
    if (process === undefined) return;
    this.#end(process, { reason: "aborted", message: ENDS.closed });
    await process.gone;
  }
}
