/**
 * The process in which the functions of a deployment run. Its own thread runs
 * no foreign code: it starts and ends workers and passes messages between them
 * and the platform. It ends when the platform's end of the line closes.
 *
 * @module
 */
import { FrameConnection } from "./connection.ts";
import { type Frame, FrameType, MAX_UPWARD_BYTES } from "./frame.ts";
import { decodeMessage, encodeMessage } from "./worker/link.ts";

/** What a worker may say. */
const FROM_WORKER: ReadonlySet<number> = new Set([
  FrameType.ready,
  FrameType.broken,
  FrameType.result,
  FrameType.settled,
  FrameType.resultSettled,
  FrameType.log,
  FrameType.fetch,
  FrameType.abortFetch,
  FrameType.chunk,
  FrameType.end,
  FrameType.fail,
  FrameType.credit,
  FrameType.drop,
]);

/** The staged worker lies beside the compiled program's main module. */
function workerUrl(): URL {
  return Deno.build.standalone
    ? new URL("./function_worker.js", Deno.mainModule)
    : new URL("./worker/worker_main.ts", import.meta.url);
}

class FunctionProcess {
  readonly #workers = new Map<number, Worker>();

  constructor(private readonly connection: FrameConnection) {}

  take(frame: Frame): void {
    if (frame.type === FrameType.start) this.#start(frame);
    else if (frame.type === FrameType.stop) this.#stop(frame.worker);
    else this.#pass(frame);
  }

  #pass({ type, worker, id, payload }: Frame): void {
    this.#workers.get(worker)?.postMessage(encodeMessage(type, id, payload));
  }

  #start(frame: Frame): void {
    this.#stop(frame.worker);
    const worker = new Worker(workerUrl(), {
      type: "module",
      name: "function",
      deno: { permissions: "none" },
    });
    worker.onmessage = (event) => {
      const message = decodeMessage(event.data);
      if (message === undefined || !FROM_WORKER.has(message.type)) return;
      if (message.payload.byteLength > MAX_UPWARD_BYTES) return;
      this.connection.send({ ...message, worker: frame.worker });
    };
    worker.onerror = (event) => {
      event.preventDefault();
      this.#stop(frame.worker);
      const payload = new TextEncoder().encode(event.message.slice(0, 1000));
      this.connection.send({ type: FrameType.exited, worker: frame.worker, id: 0, payload });
    };
    this.#workers.set(frame.worker, worker);
    this.#pass(frame);
  }

  #stop(number: number): void {
    this.#workers.get(number)?.terminate();
    this.#workers.delete(number);
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
  const connection = new FrameConnection(
    await Deno.connect({ transport: "unix", path: socketPath }),
  );
  const process = new FunctionProcess(connection);
  try {
    await connection.receive((frame) => process.take(frame));
  } catch (error) {
    // The platform keeps the last words of a process for the log.
    Deno.stderr.writeSync(new TextEncoder().encode(String(error)));
    Deno.exit(1);
  }
  Deno.exit(0);
}

if (import.meta.main && !Deno.build.standalone) await runFunctionProcess(Deno.args[0] ?? "");
