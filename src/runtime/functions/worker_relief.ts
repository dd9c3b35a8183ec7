/** @module Starts a second worker for a function while its first worker is busy. */
import { messageOf } from "../../lib/error_message.ts";
import type { UnbegunCall } from "./function_call.ts";
import type { FunctionWorker } from "./function_worker.ts";
import { MAX_WORKERS, SPARE_IDLE_MS } from "./limits.ts";
import { FunctionFrame } from "./wire.ts";
import type { WorkerProcess } from "./worker_process.ts";

function fail(call: UnbegunCall, message: string): void {
  call.resolve({ type: "failed", reason: "crashed", message });
  call.over();
}

type WorkerReliefAddWorker = (
  process: WorkerProcess,
  worker: FunctionWorker,
) => FunctionWorker;

export class WorkerRelief {
  readonly #addWorker: WorkerReliefAddWorker;

  /** `addWorker` starts another worker for the same function. */
  constructor(addWorker: WorkerReliefAddWorker) {
    this.#addWorker = addWorker;
  }

  /** Moves a worker's unstarted calls to another worker, and starts one if necessary. */
  takenBack(process: WorkerProcess, number: number, begun: number): void {
    const worker = process.workers.get(number);
    const calls = worker?.giveBack(begun) ?? [];
    if (worker === undefined || calls.length === 0) return;
    const other = process.of(worker.name).find((one) => one !== worker) ??
      this.#addWorker(process, worker);
    this.#pass(other, calls).catch((error) => {
      for (const call of calls) fail(call, messageOf(error));
    });
  }

  async #pass(worker: FunctionWorker, calls: readonly UnbegunCall[]): Promise<void> {
    const problem = await worker.ready;
    for (const call of calls) {
      if (problem === undefined) worker.adopt(call);
      else fail(call, problem.message);
    }
  }

  /** Starts a second worker in addition to a busy one and moves the waiting calls to it. */
  relieve(process: WorkerProcess, number: number, worker: FunctionWorker): void {
    const others = process.of(worker.name).filter((one) => one !== worker);
    if (others.length >= MAX_WORKERS - 1 && others.every(({ spins }) => spins)) return;
    if (others.length === 0) this.#addWorker(process, worker);
    const last = worker.callCount > 1 ? worker.askBack() : undefined;
    if (last === undefined) return;
    const { connection: control } = process.running;
    control.send({ type: FunctionFrame.takeBack, worker: number, id: last });
  }

  /** Stops second workers that have been idle for a while. */
  endSpares(process: WorkerProcess): void {
    for (const [number, worker] of [...process.workers]) {
      if (worker.idleMs < SPARE_IDLE_MS || worker.loading) continue;
      if (process.find(worker.name) === worker) continue;
      const { connection: control, workers } = process.running;
      control.send({ type: FunctionFrame.stop, worker: number, id: 0 });
      workers.drop(number);
      worker.die("aborted", "The worker had nothing to do");
      process.removeWorker(number);
    }
  }
}
