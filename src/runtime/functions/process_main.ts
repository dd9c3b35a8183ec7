/**
 * @module The process that runs a deployment's functions. The main thread runs no project code and
 * receives nothing from it, but starts and stops workers, which have their own connections to the
 * platform. The process exits when the platform closes the connection.
 */
import { dirname } from "node:path";
import { workerUrl } from "../../lib/worker_url.ts";
import { type Frame, ProtocolError } from "../process/frames/frame.ts";
import { FrameConnection } from "../process/frames/frame_connection.ts";
import { fromPayload } from "../process/frames/payload.ts";
import { endWith, servePlatform } from "../process/serve_platform.ts";
import { refuseForeignDescriptors } from "../process/own_descriptors.ts";
import { type BegunCell, makeBegunCell, takeBackCalls } from "./begun_calls.ts";
import { openInspector } from "./inspector.ts";
import { FunctionFrame, type WorkerIdentity, type WorkerOpening } from "./wire.ts";

const WORKER = workerUrl(
  "function_worker.js",
  new URL("./worker/worker_main.ts", import.meta.url),
);

/**
 * Starts a worker that can connect only to the socket. The worker gives up that permission before
 * it loads a function.
 */
function startWorker(socketPath: string): Worker {
  const permissions = { read: [socketPath], write: [socketPath] };
  return new Worker(WORKER, { type: "module", name: "function", deno: { permissions } });
}

interface StartedWorker {
  readonly worker: Worker;
  readonly begun: BegunCell;
}

class FunctionProcess {
  readonly #workers = new Map<number, StartedWorker>();
  /** Number of workers started so far. */
  #started = 0;

  readonly #control: FrameConnection;
  readonly #waitForDebugger: () => void;

  constructor(control: FrameConnection, waitForDebugger: () => void) {
    this.#control = control;
    this.#waitForDebugger = waitForDebugger;
  }

  take({ type, worker, id, payload }: Frame): void {
    if (type === FunctionFrame.open) {
      this.#open(worker, fromPayload(payload)).catch((error) => this.#stop(worker, `${error}`));
    } else if (type === FunctionFrame.takeBack) this.#takeBack(worker, id);
    else if (type === FunctionFrame.stop) this.#stop(worker, "");
    else throw new ProtocolError(`The process received an unexpected frame of type ${type}`);
  }

  async #open(number: number, { key, socketPath }: WorkerOpening): Promise<void> {
    const refused = await refuseForeignDescriptors();
    if (refused !== undefined) return endWith(refused);
    this.#waitForDebugger();
    const worker = startWorker(socketPath);
    const begun = makeBegunCell();
    this.#workers.set(number, { worker, begun });
    this.#control.send({ type: FunctionFrame.opened, worker: number, id: ++this.#started });
    worker.onerror = (event) => {
      event.preventDefault();
      this.#stop(number, event.message.slice(0, 1000));
    };
    const introduction: WorkerIdentity = { socketPath, number, key, begun };
    worker.postMessage(introduction);
  }

  /** Withdraws calls that a worker has not started, even if its thread is busy. */
  #takeBack(number: number, last: number): void {
    const started = this.#workers.get(number);
    // If a worker has exited, its calls fail.
    if (started === undefined) return;
    const id = takeBackCalls(started.begun, last);
    this.#control.send({ type: FunctionFrame.takenBack, worker: number, id });
  }

  /** Stops a worker, and reports its end only once. */
  #stop(number: number, message: string): void {
    const started = this.#workers.get(number);
    if (started === undefined) return;
    this.#workers.delete(number);
    started.worker.terminate();
    const payload = new TextEncoder().encode(message);
    this.#control.send({ type: FunctionFrame.exited, worker: number, id: 0, payload });
  }
}

/** Removes the socket that a killed platform has left behind. */
function removeSocket(socketPath: string): void {
  for (const path of [socketPath, dirname(socketPath)]) {
    try {
      Deno.removeSync(path);
    } catch { /* the platform has removed it */ }
  }
}

/**
 * Runs functions for the platform that listens on the Unix socket `socketPath`. Exits when
 * the platform disconnects.
 */
export async function runFunctionProcess(socketPath: string): Promise<never> {
  const waitForDebugger = await openInspector();
  return await servePlatform({
    socketPath,
    begin: (control) => {
      const process = new FunctionProcess(control, waitForDebugger);
      return (frame) => process.take(frame);
    },
    orphaned: () => removeSocket(socketPath),
  });
}

if (import.meta.main && !Deno.build.standalone) await runFunctionProcess(Deno.args[0] ?? "");
