/**
 * A place for one process and the functions that share it: started when
 * needed or before, ended when idle, replaced when it breaks.
 *
 * @module
 */
import type { FrameConnection } from "./connection.ts";
import { CpuWatch, procTimes, setThreadPriority } from "./cpu_watch.ts";
import { type Frame, FrameType, ProtocolError } from "./frame.ts";
import { FunctionWorker } from "./function_worker.ts";
import { backoffMs, type FunctionLimits, memoryAllowanceMb } from "./limits.ts";
import type { EndableTenant } from "../process/process_places.ts";
import { type Generation, suspectsOf } from "./generation.ts";
import { NoPlaceError, takePlace } from "./take_place.ts";
import { residentBytes, type RunningProcess, startProcess } from "./running_process.ts";
import type {
  FailureReason,
  FunctionHostOptions,
  FunctionLogEntry,
  FunctionSource,
} from "./types.ts";

/** A process that ran this long without failing has recovered. */
const HEALTHY_MS = 60_000;

export interface ProcessSlotOptions {
  readonly host: FunctionHostOptions;
  readonly limits: FunctionLimits;
  readonly functions: readonly FunctionSource[];
  readonly log: (entry: Omit<FunctionLogEntry, "time">) => void;
  /** True while calls of the deployment are under way. */
  readonly busy: () => boolean;
  /** The process broke while these functions were running. */
  readonly broke: (slot: ProcessSlot, suspects: readonly string[]) => void;
}

/** Why a function has no worker. */
export interface NoWorker {
  readonly problem: string;
  readonly reason: FailureReason;
}

const SHUT_DOWN = "The functions of the deployment have been shut down";

export class ProcessSlot {
  readonly names: ReadonlySet<string>;
  #starting: Promise<Generation> | undefined;
  #serving: Promise<void> = Promise.resolve();
  #ending: Promise<void> | undefined;
  #generation: Generation | undefined;
  #failures = 0;
  #notBefore = 0;
  #nextWorker = 1;
  #watch: ReturnType<typeof setTimeout> | undefined;
  #restarting: ReturnType<typeof setTimeout> | undefined;
  #lastUse = performance.now();
  #closed = false;

  constructor(private readonly options: ProcessSlotOptions) {
    this.names = new Set(options.functions.map(({ name }) => name));
  }

  /** While a process is being ended: resolves when it has, and its functions have their places. */
  get ending(): Promise<void> | undefined {
    return this.#ending;
  }

  /** Process id, while there is a process. */
  get pid(): number | undefined {
    return this.#generation?.process.pid;
  }

  /** The worker of a function, with its process started where there is none. */
  async worker(name: string): Promise<FunctionWorker | NoWorker> {
    this.#lastUse = performance.now();
    const wait = Math.ceil(this.#notBefore - this.#lastUse);
    if (this.#generation === undefined && wait > 0) {
      const problem = `The function broke its process and starts again in ${wait} ms`;
      return { problem, reason: "crashed" };
    }
    try {
      const generation = this.#generation ?? await this.start();
      return this.#find(generation, name) ?? this.#addAgain(generation, name);
    } catch (error) {
      return {
        problem: error instanceof Error ? error.message : "The process did not start",
        reason: error instanceof NoPlaceError ? "overloaded" : "crashed",
      };
    }
  }

  /** A worker that is there, for a caller that need not wait. */
  loaded(name: string): FunctionWorker | undefined {
    if (this.#generation === undefined) return undefined;
    this.#lastUse = performance.now();
    const worker = this.#find(this.#generation, name);
    return worker?.usable === true ? worker : undefined;
  }

  #find({ workers }: Generation, name: string): FunctionWorker | undefined {
    for (const worker of workers.values()) if (worker.name === name) return worker;
    return undefined;
  }

  /** One that ended between calls comes back with the next call, not before. */
  #addAgain(generation: Generation, name: string): FunctionWorker | NoWorker {
    const definition = this.options.functions.find((one) => one.name === name);
    if (definition === undefined) {
      return { problem: "The function has no worker", reason: "crashed" };
    }
    return this.#addWorker(generation, definition);
  }

  /** Starts process and workers; what is under way already is joined. */
  start(): Promise<Generation> {
    this.#starting ??= this.#startNow().finally(() => this.#starting = undefined);
    return this.#starting;
  }

  async #startNow(): Promise<Generation> {
    if (this.#closed) throw new Error(SHUT_DOWN);
    const place = await takePlace(this.options.host.places);
    if (this.#closed) {
      place?.release();
      throw new Error(SHUT_DOWN);
    }
    let process: RunningProcess;
    try {
      process = await startProcess(this.options.host.spawn);
    } catch (error) {
      place?.release();
      this.#failed();
      throw error;
    }
    void process.ended.then(() => place?.release());
    if (this.#closed) {
      process.kill();
      throw new Error(SHUT_DOWN);
    }
    const generation: Generation = {
      process,
      workers: new Map(),
      startedAt: performance.now(),
      cpu: new CpuWatch(process.pid, {
        times: procTimes,
        now: () => performance.now(),
        setPriority: setThreadPriority,
      }),
      replaced: new Map(),
      end: undefined,
    };
    this.#generation = generation;
    place?.occupy(this.#tenant(generation));
    for (const definition of this.options.functions) this.#addWorker(generation, definition);
    this.#serving = this.#serve(generation);
    this.#lastUse = performance.now();
    this.#watchNow();
    return generation;
  }

  /** The process of a generation, as one that may have to make room. */
  #tenant(generation: Generation): EndableTenant {
    const idleSince = (): number | undefined =>
      this.#isBusy(generation) ? undefined : this.#lastUse;
    return {
      get ending() {
        return generation.end !== undefined;
      },
      get idleSince() {
        return idleSince();
      },
      end: () => this.#end(generation, "aborted", "The functions made room for others"),
    };
  }

  #isBusy({ workers }: Generation): boolean {
    return this.options.busy() ||
      [...workers.values()].some(({ busy, loading }) => busy || loading);
  }

  /** Ends a process that nobody uses; the next call starts it again. */
  async rest(): Promise<void> {
    const generation = this.#generation ?? await this.#starting?.catch(() => undefined);
    if (generation === undefined || generation.end !== undefined) return;
    for (const worker of generation.workers.values()) await worker.ready;
    if (this.#isBusy(generation) || this.#generation !== generation) return;
    this.#end(generation, "aborted", "The functions of the deployment are not live any more");
  }

  #addWorker(generation: Generation, definition: FunctionSource): FunctionWorker {
    const number = this.#nextWorker;
    this.#nextWorker = this.#nextWorker % 0xffff + 1;
    const { control, lines } = generation.process;
    let line: FrameConnection | undefined;
    const worker = new FunctionWorker({
      definition,
      host: this.options.host,
      limits: this.options.limits,
      log: this.options.log,
      send: (type, id, payload) =>
        line?.send({ type, worker: 0, id, ...(payload === undefined ? {} : { payload }) }),
      stuck: (reason, message) => this.#replace(generation, number, { reason, message }),
    });
    generation.workers.set(number, worker);
    const key = lines.expect(number, {
      opened(connection) {
        line = connection;
        worker.load();
      },
      take: (frame) => worker.take(frame),
      closed: (problem) => this.#lost(generation, number, problem),
    });
    const payload = new TextEncoder().encode(key);
    control.send({ type: FrameType.open, worker: number, id: 0, payload });
    return worker;
  }

  /**
   * A worker's connection has ended. Where nobody knows why, the process says
   * whether it was the worker alone, or ends as well.
   */
  #lost(generation: Generation, number: number, problem: string | undefined): void {
    const worker = generation.workers.get(number);
    if (worker === undefined || worker.dead) return;
    if (problem === undefined) {
      return generation.process.control.send({ type: FrameType.stop, worker: number, id: 0 });
    }
    const message = `Function "${worker.name}" broke the protocol: ${problem}`;
    this.#replace(generation, number, { reason: "crashed", message });
  }

  #replace(
    generation: Generation,
    number: number,
    why: { readonly reason: FailureReason; readonly message: string },
  ): void {
    const worker = generation.workers.get(number);
    if (worker === undefined || worker.dead || generation.end !== undefined) return;
    this.options.log({ level: "error", function: worker.name, message: why.message });
    const { control, lines } = generation.process;
    control.send({ type: FrameType.stop, worker: number, id: 0 });
    lines.drop(number);
    const { loading, busy } = worker;
    worker.die(why.reason, why.message);
    // One that can not even be loaded stays as it is, and fails its calls.
    if (loading) return;
    generation.workers.delete(number);
    generation.replaced.set(worker.name, performance.now());
    if (busy) this.#addWorker(generation, worker.options.definition);
  }

  async #serve(generation: Generation): Promise<void> {
    const { control, lines } = generation.process;
    await control.receive((frame) => this.#take(generation, frame)).catch((error) => {
      generation.end ??= { reason: "crashed", message: `The functions' process failed: ${error}` };
    });
    generation.process.kill();
    control.close();
    lines.close();
    const words = await generation.process.ended;
    if (this.#generation === generation) this.#generation = undefined;
    const end = generation.end ??
      { reason: "crashed" as const, message: "The process of the functions has ended" };
    const workers = [...generation.workers.values()];
    const suspects = suspectsOf(generation);
    for (const worker of workers) worker.die(end.reason, end.message);
    if (generation.end?.reason === "aborted") return;
    const healthy = performance.now() - generation.startedAt > HEALTHY_MS;
    if (healthy) this.#failures = 0;
    this.#failed();
    for (const name of suspects.length > 0 ? suspects : this.names) {
      const message = words === "" || generation.end !== undefined
        ? end.message
        : `${end.message}: ${words.split("\n").find((line) => line.trim().length > 1) ?? ""}`;
      this.options.log({ level: "error", function: name, message });
    }
    this.options.broke(this, suspects);
  }

  #failed(): void {
    this.#failures++;
    this.#notBefore = performance.now() + backoffMs(this.#failures);
  }

  /** Takes a frame of the process itself: one of its workers has ended. */
  #take(generation: Generation, { type, worker, payload }: Frame): void {
    if (type !== FrameType.exited) {
      throw new ProtocolError(`The process sent a frame of type ${type}`);
    }
    const message = new TextDecoder().decode(payload) || "The worker has ended";
    this.#replace(generation, worker, { reason: "crashed", message });
  }

  /** Starts a process in place of one that broke, after the pause that its failures ask for. */
  restart(): void {
    clearTimeout(this.#restarting);
    const wait = Math.max(0, this.#notBefore - performance.now());
    this.#restarting = setTimeout(() => void this.start().catch(() => {}), wait);
  }

  /** Reads memory while calls run, and ends what is idle. */
  #watchNow(): void {
    clearTimeout(this.#watch);
    const generation = this.#generation;
    if (generation === undefined) return;
    const { memoryMb, memoryPollMs, idleMs } = this.options.limits;
    const limit = memoryMb + memoryAllowanceMb(generation.workers.size);
    const bytes = residentBytes(generation.process.pid) ?? 0;
    if (bytes > limit * 1024 * 1024) {
      const used = Math.round(bytes / 1024 / 1024);
      this.#end(generation, "memory", `The functions took ${used} MiB of at most ${limit} MiB`);
      return;
    }
    generation.cpu.look();
    if (this.#isBusy(generation)) this.#lastUse = performance.now();
    else if (idleMs > 0 && performance.now() - this.#lastUse > idleMs) {
      return this.#end(generation, "aborted", "The functions were idle");
    } else this.options.host.places?.settle();
    this.#watch = setTimeout(() => this.#watchNow(), memoryPollMs);
  }

  #end(generation: Generation, reason: FailureReason, message: string): void {
    generation.end ??= { reason, message };
    if (this.#generation === generation) this.#generation = undefined;
    clearTimeout(this.#watch);
    this.#ending = this.#serving.finally(() => this.#ending = undefined);
    generation.process.kill();
  }

  /** Ends the process; calls in flight fail as aborted. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#watch);
    clearTimeout(this.#restarting);
    const generation = this.#generation ?? await this.#starting?.catch(() => undefined);
    if (generation === undefined) return;
    this.#end(generation, "aborted", SHUT_DOWN);
    await generation.process.ended;
  }
}
