/**
 * A process of functions that the platform supervises, with the workers that this edge
 * thread has in it.
 *
 * @module
 */
import { join } from "node:path";
import { ServerSlot, type SharedSlots } from "../../process/slots/mod.ts";
import type { OutboundFetch } from "../../outbound/mod.ts";
import type { Frame, OutgoingFrame } from "../../process/frames/mod.ts";
import type { Release } from "../../process/mod.ts";
import type { FunctionWorker } from "../function_worker.ts";
import type { End, FunctionLogEntry } from "../types.ts";
import { WorkerConnections } from "../worker_connections.ts";
import { WorkerControl } from "../worker_control.ts";
import { threadSocket } from "../worker_numbers.ts";
import { WorkerProcess } from "../worker_process.ts";
import type { FetchTarget, FunctionLease } from "./function_links.ts";

/** How often a call that waits for a place looks again, in milliseconds. */
const LOOK_MS = 5;

/** Listens in the place of an earlier thread of the same number. */
function listenAgain(path: string): Deno.UnixListener {
  try {
    Deno.removeSync(path);
  } catch { /* there was none */ }
  return Deno.listen({ transport: "unix", path });
}

export interface LinkedProcessOptions {
  readonly slots: SharedSlots;
  /** This thread among the members of slots. */
  readonly member: number;
  /** Sends a frame to the own thread of a process. */
  send(deploymentId: string, generation: number, frame: OutgoingFrame): void;
  log(deploymentId: string, entry: Omit<FunctionLogEntry, "time">): void;
  /** Reports that a place was given back for which others wait. */
  left(slot: number): void;
  /** Has the platform perform a request of a function. */
  fetch(
    asked: { readonly deploymentId: string; readonly to: FetchTarget },
    request: Parameters<OutboundFetch>[0],
  ): ReturnType<OutboundFetch>;
}

export class LinkedProcess {
  readonly #slot: ServerSlot;
  readonly #process: WorkerProcess;
  readonly #control: WorkerControl;
  readonly #looking: ReturnType<typeof setInterval>;

  constructor(
    private readonly lease: FunctionLease,
    private readonly options: LinkedProcessOptions,
  ) {
    const { slots, member, send, log, fetch } = options;
    const { deploymentId, generation, pid, folder, env, limits } = lease;
    this.#slot = new ServerSlot(slots, lease.slot, member);
    const socketPath = join(folder, threadSocket(member));
    this.#process = new WorkerProcess({
      ...{ pid, socketPath },
      connection: { send: (frame) => send(deploymentId, generation, frame) },
      workers: new WorkerConnections(listenAgain(socketPath)),
    });
    this.#control = new WorkerControl({
      ...{ member, limits },
      host: {
        env,
        outbound: (request) => fetch({ deploymentId, to: "outbound" }, request),
        kv: (request) => fetch({ deploymentId, to: "kv" }, request),
        database: (request) => fetch({ deploymentId, to: "database" }, request),
      },
      log: (entry) => log(deploymentId, entry),
    });
    this.#looking = setInterval(() => this.#control.look(this.#process), limits.memoryPollMs);
    Deno.unrefTimer(this.#looking);
  }

  get generation(): number {
    return this.lease.generation;
  }

  /** Whether the platform lets threads begin calls. */
  get isOpen(): boolean {
    return this.#slot.isOpen(this.lease.generation);
  }

  /** A worker that can be called now. */
  loaded(name: string): FunctionWorker | undefined {
    const worker = this.#process.find(name);
    return worker?.usable === true ? worker : undefined;
  }

  /** The worker of a function, started where there is none; `undefined` where there can be none. */
  worker(name: string): FunctionWorker | undefined {
    const found = this.#process.find(name);
    if (found !== undefined || this.#process.isEnding) return found;
    const definition = this.lease.functions.find((one) => one.name === name);
    return definition && this.#control.add(this.#process, definition);
  }

  /** A place among the calls under way, where one is free at once. */
  enter(): Release | undefined {
    const { generation, limits: { maxConcurrent } } = this.lease;
    let isOver = false;
    const release = (): void => {
      if (isOver) return;
      isOver = true;
      if (this.#slot.leave(generation)) this.options.left(this.lease.slot);
    };
    if (this.#slot.enter(generation, maxConcurrent)) return release;
    release();
    return undefined;
  }

  /** A place, as soon as one is free; `undefined` where none is in time, or the process is closed. */
  async waitForPlace(until: number): Promise<Release | undefined> {
    while (this.isOpen && performance.now() < until) {
      const release = this.enter();
      if (release !== undefined) return release;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    return undefined;
  }

  /** Takes what the process says of a worker. */
  take(frame: Frame): void {
    this.#control.take(this.#process, frame);
  }

  /** The process has ended. */
  ended(end: End): void {
    this.#process.end ??= end;
    clearInterval(this.#looking);
    this.#process.die(end);
    this.#process.running.workers.close();
  }
}
