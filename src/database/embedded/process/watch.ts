/**
 * @module Watches the backend while it works. A separate thread receives cancel requests and
 * notices when the platform exits, because the backend's thread is blocked until its statement has
 * ended.
 */
import { workerUrl } from "../../../lib/worker_url.ts";
import type { Postgres } from "./postgres.ts";
import { type FromWatch, Shared, SHARED_NUMBERS, type ToWatch } from "./watch_messages.ts";

const WORKER = workerUrl("database_watch.js", new URL("./watch_main.ts", import.meta.url));

export class Watch {
  readonly #shared = new Int32Array(
    new SharedArrayBuffer(SHARED_NUMBERS * Int32Array.BYTES_PER_ELEMENT),
  );
  #base: bigint | undefined;

  readonly #worker: Worker;

  private constructor(worker: Worker) {
    this.#worker = worker;
  }

  /** Starts watching. Resolves when the thread can receive the platform's messages. */
  static async start(socketPath: string): Promise<Watch> {
    const worker = new Worker(WORKER, { type: "module", name: "watch" });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    worker.onmessage = ({ data }: MessageEvent<FromWatch>) => {
      if (data.type === "listening") resolve();
    };
    worker.onerror = (event) => {
      event.preventDefault();
      reject(new Error(event.message));
    };
    const watch = new Watch(worker);
    const message: ToWatch = { type: "listen", socketPath, shared: watch.#shared.buffer };
    worker.postMessage(message);
    await promise;
    return watch;
  }

  /** Sends the thread the address at which the backend checks for cancel requests. */
  attend(postgres: Postgres): void {
    const { memory, offsets } = postgres.interruptFlags;
    const pointer = Deno.UnsafePointer.of(new Uint8Array(memory));
    const base = Deno.UnsafePointer.value(pointer);
    if (base === this.#base) return;
    this.#base = base;
    const flags = offsets.map((offset) => base + BigInt(offset));
    this.#worker.postMessage({ type: "attend", flags } satisfies ToWatch);
  }

  /**
   * Marks the start of a client's message, which is interrupted after `limit`. A `limit` of 0 means
   * that the message is never interrupted.
   */
  begin(client: number, limit: number): void {
    Atomics.add(this.#shared, Shared.run, 1);
    Atomics.store(this.#shared, Shared.client, client);
    if (client === 0 || limit === 0) return;
    const run = Atomics.load(this.#shared, Shared.run);
    this.#worker.postMessage({ type: "limit", run, milliseconds: limit } satisfies ToWatch);
  }

  /** True if the run was interrupted because it took too long. */
  get isLate(): boolean {
    return Atomics.load(this.#shared, Shared.late) === Atomics.load(this.#shared, Shared.run);
  }

  end(): void {
    Atomics.store(this.#shared, Shared.client, 0);
  }
}
