/**
 * The process in which the functions of a deployment run. Its own thread runs
 * no foreign code and hears none: it starts and ends workers, which speak with
 * the platform themselves. It ends when the platform's end of the line closes.
 *
 * @module
 */
import { dirname } from "node:path";
import { refuseForeignDescriptors } from "../process/own_descriptors.ts";
import { FrameConnection } from "./connection.ts";
import { type Frame, FrameType, ProtocolError } from "./frame.ts";
import type { WorkerIntroduction } from "./wire.ts";

/** The staged worker lies beside the compiled program's main module. */
function workerUrl(): URL {
  return Deno.build.standalone
    ? new URL("./function_worker.js", Deno.mainModule)
    : new URL("./worker/worker_main.ts", import.meta.url);
}

/**
 * A worker that may connect to the socket, and no more; it gives that up
 * before it loads a function.
 */
function startWorker(socketPath: string): Worker {
  const start = (permissions: Deno.PermissionOptionsObject): Worker =>
    new Worker(workerUrl(), { type: "module", name: "function", deno: { permissions } });
  const files = { read: [socketPath], write: [socketPath] };
  try {
    return start({ ...files, net: [`unix:${socketPath}`] });
  } catch (error) {
    // Deno 2.6 asks for no such permission, and can not read its name.
    if (error instanceof URIError) return start(files);
    throw error;
  }
}

class FunctionProcess {
  readonly #workers = new Map<number, Worker>();

  constructor(
    private readonly control: FrameConnection,
    private readonly socketPath: string,
  ) {}

  take({ type, worker, payload }: Frame): void {
    if (type === FrameType.open) void this.#open(worker, new TextDecoder().decode(payload));
    else if (type === FrameType.stop) this.#stop(worker, "");
    else throw new ProtocolError(`The process was sent a frame of type ${type}`);
  }

  async #open(number: number, key: string): Promise<void> {
    const { socketPath } = this;
    const refused = await refuseForeignDescriptors();
    if (refused !== undefined) return endWith(refused);
    const worker = startWorker(socketPath);
    this.#workers.set(number, worker);
    worker.onerror = (event) => {
      event.preventDefault();
      this.#stop(number, event.message.slice(0, 1000));
    };
    const introduction: WorkerIntroduction = { socketPath, number, key };
    worker.postMessage(introduction);
  }

  /** Ends a worker, and says so: once, whoever asked for it. */
  #stop(number: number, message: string): void {
    const worker = this.#workers.get(number);
    if (worker === undefined) return;
    this.#workers.delete(number);
    worker.terminate();
    const payload = new TextEncoder().encode(message);
    this.control.send({ type: FrameType.exited, worker: number, id: 0, payload });
  }
}

/** Ends the process; the platform keeps its last words for the log. */
function endWith(words: string): never {
  Deno.stderr.writeSync(new TextEncoder().encode(words));
  Deno.exit(1);
}

/** The socket outlives a platform that was killed; what ends after it clears up. */
function removeSocket(socketPath: string): void {
  for (const path of [socketPath, dirname(socketPath)]) {
    try {
      Deno.removeSync(path);
    } catch { /* the platform was first */ }
  }
}

/**
 * Runs functions for the platform that listens at the Unix socket
 * `socketPath`, and ends the process when that closes. The platform ends its
 * processes itself when it is told to stop, so signals to the group are
 * ignored here.
 */
export async function runFunctionProcess(socketPath: string): Promise<never> {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    Deno.addSignalListener(signal, () => {});
  }
  const control = new FrameConnection(
    await Deno.connect({ transport: "unix", path: socketPath }),
  );
  const process = new FunctionProcess(control, socketPath);
  try {
    await control.receive((frame) => process.take(frame));
    removeSocket(socketPath);
  } catch (error) {
    endWith(String(error));
  }
  Deno.exit(0);
}

if (import.meta.main && !Deno.build.standalone) await runFunctionProcess(Deno.args[0] ?? "");
