/**
 * Keeps one process and the functions that share it: started when needed or
 * before, ended when idle, replaced when it breaks.
 *
 * @module
 */
import type { Frame, OutgoingFrame } from "../process/frames/mod.ts";
import {
  attendProcess,
  NoPlaceError,
  type ProcessDriver,
  ProcessSupervisor,
  residentBytes,
} from "../process/mod.ts";
import type { FunctionWorker } from "./function_worker.ts";
import type { Lender } from "./link/function_links.ts";
import { type FunctionLimits, memoryAllowanceMb } from "./limits.ts";
import { startWorkerProcess } from "./start_worker_process.ts";
import type {
  End,
  FailureReason,
  FunctionHostOptions,
  FunctionLogEntry,
  FunctionSource,
} from "./types.ts";
import { FunctionFrame } from "./wire.ts";
import { WorkerControl } from "./worker_control.ts";
import { memberOf } from "./worker_numbers.ts";
import { OwnProcess } from "./worker_process.ts";

export interface FunctionSupervisorOptions {
  readonly host: FunctionHostOptions;
  readonly limits: FunctionLimits;
  readonly functions: readonly FunctionSource[];
  readonly log: (entry: Omit<FunctionLogEntry, "time">) => void;
  /** True while calls of the deployment are under way. */
  readonly busy: () => boolean;
  /** Lets edge threads have workers in the process; missing where they may not. */
  readonly lender?: Lender | undefined;
  /** The process broke while these functions were running. */
  readonly broke: (supervisor: FunctionSupervisor, suspects: readonly string[]) => void;
}

/** Why a function has no worker. */
export interface NoWorker {
  readonly problem: string;
  readonly reason: FailureReason;
}

/** Why the supervisor ends a process; the functions start again with the next call. */
const ENDS = {
  idle: "The functions were idle",
  place: "The functions made room for others",
  late: "The functions were not ready in time",
  closed: "The functions of the deployment have been shut down",
} as const;

export class FunctionSupervisor {
  readonly names: ReadonlySet<string>;
  readonly #supervisor: ProcessSupervisor<OwnProcess>;
  readonly #control: WorkerControl;
  #attending: Promise<void> = Promise.resolve();
  #ending: Promise<void> | undefined;
  #restarting: ReturnType<typeof setTimeout> | undefined;
  /** Processes that edge threads have workers in, by their generation. */
  readonly #lent = new Map<number, OwnProcess>();
  /** Ends a process that threads still had calls in. */
  #calledOff: (() => void) | undefined;

  constructor(private readonly options: FunctionSupervisorOptions) {
    this.names = new Set(options.functions.map(({ name }) => name));
    this.#control = new WorkerControl({ ...options, member: 0 });
    const { idleMs, memoryPollMs } = options.limits;
    this.#supervisor = new ProcessSupervisor({
      driver: this.#driver(),
      places: options.host.places,
      noPlace: (max) => `All ${max} processes of functions that may run at once are in use`,
      closed: ENDS.closed,
      idleMs,
      pollMs: memoryPollMs,
    });
  }

  /** While a process is being ended: resolves when it has, and its functions have their places. */
  get ending(): Promise<void> | undefined {
    return this.#ending;
  }

  /** Process id, while there is a process. */
  get pid(): number | undefined {
    return this.#supervisor.current?.running.pid;
  }

  /** The worker of a function, with its process started where there is none. */
  async worker(name: string): Promise<FunctionWorker | NoWorker> {
    this.#supervisor.touch();
    const wait = this.#supervisor.backoff.waitMs;
    if (this.#supervisor.current === undefined && wait > 0) {
      const problem = `The function broke its process and starts again in ${wait} ms`;
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

  /** A worker that is there, for a caller that need not wait. */
  loaded(name: string): FunctionWorker | undefined {
    const { current } = this.#supervisor;
    if (current === undefined) return undefined;
    this.#supervisor.touch();
    const worker = current.find(name);
    return worker?.usable === true ? worker : undefined;
  }

  /** One that ended between calls comes back with the next call, not before. */
  #addAgain(process: OwnProcess, name: string): FunctionWorker | NoWorker {
    const definition = this.options.functions.find((one) => one.name === name);
    if (definition === undefined) {
      return { problem: "The function has no worker", reason: "crashed" };
    }
    return this.#control.add(process, definition);
  }

  /** Starts process and workers; a start that is under way is joined. */
  start(): Promise<OwnProcess> {
    return this.#supervisor.start();
  }

  #driver(): ProcessDriver<OwnProcess> {
    return {
      spawn: () => this.#spawn(),
      begin: (process) => {
        for (const definition of this.options.functions) this.#control.add(process, definition);
        this.#attending = this.#attend(process);
      },
      isBusy: (process) =>
        this.options.busy() || process.isBusy || this.options.lender?.slot.takeUsed() === true,
      inspect: (process) => this.#inspect(process),
      end: (process, cause) => {
        const end = { reason: "aborted", message: ENDS[cause] } as const;
        if (cause !== "closed") return this.#retire(process, end);
        this.#end(process, end);
        // It has not begun, so nobody else closes its connections.
        process.running.close();
      },
    };
  }

  async #spawn(): Promise<OwnProcess> {
    try {
      return new OwnProcess(await startWorkerProcess(this.options.host.spawn));
    } catch (error) {
      this.#supervisor.backoff.failed();
      throw error;
    }
  }

  /** Ends a process that nobody uses; the next call starts it again. */
  async endUnused(): Promise<void> {
    const { current, isStarting } = this.#supervisor;
    const process = current ??
      (isStarting ? await this.#supervisor.start().catch(() => undefined) : undefined);
    if (process === undefined || process.isEnding) return;
    for (const worker of process.workers.values()) await worker.ready;
    if (this.options.busy() || process.isBusy || this.#supervisor.current !== process) return;
    const message = "The functions of the deployment are not live any more";
    this.#retire(process, { reason: "aborted", message });
  }

  /** The process that edge threads may have workers in, started where there is none. */
  async lend(): Promise<OwnProcess | undefined> {
    const { lender } = this.options;
    const { current, backoff } = this.#supervisor;
    if (lender === undefined || current === undefined && backoff.waitMs > 0) return undefined;
    await this.#ending;
    const process = this.#supervisor.current ?? await this.start();
    if (process.isEnding) return undefined;
    if (process.generation === 0) process.generation = lender.newGeneration();
    this.#lent.set(process.generation, process);
    lender.open(process.generation);
    return process;
  }

  /** Sends a frame of a thread to the process's own thread. */
  send(generation: number, frame: OutgoingFrame): void {
    const process = this.#lent.get(generation);
    process?.lent.sent(frame);
    process?.running.connection.send(frame);
  }

  /** A thread has ended calls: a process that waited for them ends. */
  left(): void {
    if (this.options.lender?.slot.others === 0) this.#calledOff?.();
  }

  /** Ends the workers of a thread that is gone. */
  memberEnded(member: number): void {
    for (const { lent, running } of this.#lent.values()) {
      for (const worker of lent.memberEnded(member)) {
        running.connection.send({ type: FunctionFrame.stop, worker, id: 0 });
      }
    }
  }

  async #attend(process: OwnProcess): Promise<void> {
    const words = await attendProcess(process.running, {
      take: (frame) => this.#take(process, frame),
      failed: (error) => {
        process.end ??= { reason: "crashed", message: `The functions' process failed: ${error}` };
      },
    });
    this.#supervisor.release(process);
    const known = process.end;
    const end = known ??
      { reason: "crashed" as const, message: "The process of the functions has ended" };
    const suspects = this.#suspects(process);
    process.die(end);
    this.#lent.delete(process.generation);
    this.options.lender?.ended(process.generation, end);
    if (end.reason === "aborted") return;
    this.#supervisor.backoff.failed(process.startedAt);
    const firstWords = words.split("\n").find((line) => line.trim().length > 1) ?? "";
    const message = words === "" || known !== undefined
      ? end.message
      : `${end.message}: ${firstWords}`;
    for (const name of suspects.length > 0 ? suspects : this.names) {
      this.options.log({ level: "error", function: name, message });
    }
    this.options.broke(this, suspects);
  }

  /** The functions that may have broken it; none where a thread's call may have. */
  #suspects(process: OwnProcess): string[] {
    const isBorrowed = process.lent.size > 0 && (this.options.lender?.slot.others ?? 0) > 0;
    if (!isBorrowed) return process.suspects();
    return this.names.size === 1 ? [...this.names] : [];
  }

  /** Takes a frame of the process itself, about one of its workers or of a thread's. */
  #take(process: OwnProcess, frame: Frame): void {
    if (memberOf(frame.worker) === 0) return this.#control.take(process, frame);
    const member = process.lent.receiver(frame);
    if (member !== undefined) this.options.lender?.told(member, process.generation, frame);
  }

  /** Starts a process in place of one that broke, after the pause that its failures ask for. */
  restart(): void {
    clearTimeout(this.#restarting);
    const wait = Math.max(0, this.#supervisor.backoff.waitMs);
    this.#restarting = setTimeout(() => void this.start().catch(() => {}), wait);
  }

  /** Reads memory, and looks at what each thread takes of the processor. */
  #inspect(process: OwnProcess): void {
    const workers = process.workers.size + process.lent.size;
    const limit = this.options.limits.memoryMb + memoryAllowanceMb(workers);
    const bytes = residentBytes(process.running.pid) ?? 0;
    if (bytes > limit * 1024 * 1024) {
      const used = Math.round(bytes / 1024 / 1024);
      const message = `The functions took ${used} MiB of at most ${limit} MiB`;
      return this.#end(process, { reason: "memory", message });
    }
    process.cpu.look();
    this.#control.look(process);
  }

  /** Ends a process that nobody uses, after a call that a thread has begun at this moment. */
  #retire(process: OwnProcess, end: End): void {
    const { lender } = this.options;
    lender?.close();
    if (lender === undefined || lender.slot.others === 0) return this.#end(process, end);
    this.#release(process, end);
    this.#calledOff = () => process.running.kill();
  }

  #end(process: OwnProcess, end: End): void {
    this.options.lender?.close();
    this.#release(process, end);
    process.running.kill();
  }

  /** Gives it no further calls. */
  #release(process: OwnProcess, end: End): void {
    process.end ??= end;
    this.#supervisor.release(process);
    this.#ending = this.#attending.finally(() => this.#ending = undefined);
  }

  /** Ends the process; calls in flight fail as aborted. */
  async close(): Promise<void> {
    clearTimeout(this.#restarting);
    const process = await this.#supervisor.close();
    if (process === undefined) return;
    this.#end(process, { reason: "aborted", message: ENDS.closed });
    await process.gone;
  }
}
