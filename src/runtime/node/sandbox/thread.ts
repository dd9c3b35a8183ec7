/** @module The thread that starts Node, as seen by the process's first thread. */
import { workerUrl } from "../../../lib/worker_url.ts";
import type { FromThread, ToThread } from "./thread_messages.ts";
import { LaunchError } from "./types.ts";

const THREAD = workerUrl("node_thread.js", new URL("./thread_main.ts", import.meta.url));

export class Thread {
  readonly #worker: Worker;
  readonly #port: MessagePort;
  #take: (message: FromThread) => void = () => {};

  constructor() {
    this.#worker = new Worker(THREAD, { type: "module", name: "node" });
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.#take({ type: "failed", message: event.message });
    };
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    port1.onmessage = ({ data }: MessageEvent<FromThread>) => this.#take(data);
    this.#worker.postMessage(port2, [port2]);
  }

  send(message: ToThread): void {
    this.#port.postMessage(message);
  }

  /** @throws {LaunchError} if the thread reports a failure, or sends something else */
  async next<Type extends FromThread["type"]>(
    type: Type,
  ): Promise<Extract<FromThread, { readonly type: Type }>> {
    const message = await new Promise<FromThread>((resolve) => this.#take = resolve);
    if (message.type === type) return message as Extract<FromThread, { readonly type: Type }>;
    throw new LaunchError(message.type === "failed" ? message.message : "Node has stopped");
  }

  close(): void {
    this.#port.close();
    this.#worker.terminate();
  }
}
