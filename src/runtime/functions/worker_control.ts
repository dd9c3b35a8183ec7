/** @module Starts the workers in a function process and replaces broken workers. */
import { type Frame, ProtocolError } from "../process/frames/frame.ts";
import type { FrameConnection } from "../process/frames/frame_connection.ts";
import { FunctionWorker } from "./function_worker.ts";
import type { FunctionLimits } from "./limits.ts";
import type { End, FunctionLogEntry, FunctionSource } from "./types.ts";
import { FunctionFrame, type WorkerOpening } from "./wire.ts";
import type { FunctionServices } from "./worker_context.ts";
import type { WorkerProcess } from "./worker_process.ts";
import { WorkerRelief } from "./worker_relief.ts";

/** Highest worker number that fits into a frame. */
const MAX_NUMBER = 0xffff;

interface WorkerControlOptions {
  readonly host: FunctionServices;
  readonly limits: FunctionLimits;
  readonly log: (entry: Omit<FunctionLogEntry, "time">) => void;
}

export class WorkerControl {
  readonly #relief = new WorkerRelief((process, { options }) =>
    this.add(process, options.definition)
  );
  #lastNumber = 0;

  readonly #options: WorkerControlOptions;

  constructor(options: WorkerControlOptions) {
    this.#options = options;
  }

  add(process: WorkerProcess, definition: FunctionSource): FunctionWorker {
    const number = this.#nextNumber(process);
    const { connection: control, workers, socketPath } = process.running;
    const { host, limits, log } = this.#options;
    let own: FrameConnection | undefined;
    const worker = new FunctionWorker({
      definition,
      host,
      limits,
      log,
      send: (type, id, payload) => own?.send({ type, worker: 0, id, payload }),
      stuck: (reason, message) => this.#replace(process, number, { reason, message }),
      spentMs: () => process.spentMs(number),
    });
    process.workers.set(number, worker);
    const key = workers.expect(number, {
      opened(connection) {
        own = connection;
        worker.load();
      },
      take: (frame) => worker.take(frame),
      closed: (problem) => this.#lost(process, number, problem),
    });
    const opening: WorkerOpening = { key, socketPath };
    const payload = new TextEncoder().encode(JSON.stringify(opening));
    control.send({ type: FunctionFrame.open, worker: number, id: 0, payload });
    return worker;
  }

  /** Returns a number that is not used by any worker of the process. */
  #nextNumber({ workers }: WorkerProcess): number {
    do this.#lastNumber = this.#lastNumber % MAX_NUMBER + 1; while (workers.has(this.#lastNumber));
    return this.#lastNumber;
  }

  /** Handles a frame from the process itself about one of its workers. */
  take(process: WorkerProcess, { type, worker, id, payload }: Frame): void {
    if (type === FunctionFrame.opened) return process.opened(worker, id);
    if (type === FunctionFrame.takenBack) return this.#relief.takenBack(process, worker, id);
    if (type !== FunctionFrame.exited) {
      throw new ProtocolError(`The process sent an unexpected frame of type ${type}`);
    }
    const message = new TextDecoder().decode(payload) || "The worker exited";
    this.#exited(process, worker, message);
  }

  /** Checks the CPU time of each worker's thread. */
  look(process: WorkerProcess): void {
    for (const [number, worker] of [...process.workers]) {
      worker.look();
      if (worker.tired && !worker.busy) this.#retire(process, number, worker);
      else if (worker.spins && worker.usable) this.#relief.relieve(process, number, worker);
    }
    this.#relief.endSpares(process);
  }

  /**
   * Handles the end of a worker's connection. If the reason is unknown, the process either exits
   * too, or reports that only the worker exited.
   */
  #lost(process: WorkerProcess, number: number, problem: string | undefined): void {
    const worker = process.workers.get(number);
    if (worker === undefined || worker.dead || worker.leaving) return;
    if (problem === undefined) {
      return process.running.connection.send({ type: FunctionFrame.stop, worker: number, id: 0 });
    }
    const message = `Function "${worker.name}" violated the protocol: ${problem}`;
    this.#replace(process, number, { reason: "crashed", message });
  }

  /**
   * Stops a worker. Its unstarted calls move to another worker as soon as the process reports them.
   */
  #replace(process: WorkerProcess, number: number, why: End): void {
    const worker = process.workers.get(number);
    if (worker === undefined || worker.dead || worker.leaving || process.isEnding) return;
    this.#options.log({ level: "error", function: worker.name, message: why.message });
    const { connection: control, workers } = process.running;
    const last = worker.loading ? undefined : worker.askBack();
    if (last !== undefined) {
      control.send({ type: FunctionFrame.takeBack, worker: number, id: last });
    }
    control.send({ type: FunctionFrame.stop, worker: number, id: 0 });
    workers.drop(number);
    // A function that could not be loaded is not loaded again. Its calls fail.
    if (worker.loading) return worker.die(why.reason, why.message);
    worker.leave();
    process.replacing.set(number, why);
  }

  /** Handles the process's report that a worker has exited. */
  #exited(process: WorkerProcess, number: number, message: string): void {
    const worker = process.workers.get(number);
    if (worker === undefined || worker.dead || process.isEnding) return;
    const known = process.replacing.get(number);
    const end = known ?? { reason: "crashed" as const, message };
    if (known === undefined) {
      this.#options.log({ level: "error", function: worker.name, message });
      process.running.workers.drop(number);
    }
    const { loading, busy } = worker;
    worker.die(end.reason, end.message);
    if (loading) return;
    process.removeWorker(number);
    process.replaced.set(worker.name, performance.now());
    if (busy && process.find(worker.name) === undefined) {
      this.add(process, worker.options.definition);
    }
  }

  /** Replaces a worker in which a call exceeded its limits, once nothing else runs there. */
  #retire(process: WorkerProcess, number: number, { name }: FunctionWorker): void {
    const message = `Function "${name}" used too much CPU time and will be restarted`;
    this.#replace(process, number, { reason: "timeout", message });
  }
}
