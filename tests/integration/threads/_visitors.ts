/**
 * Visitors of a site whose connections stay open.
 *
 * @module
 */
import assert from "node:assert/strict";
import type { Visit } from "./_visiting_thread.ts";

const HOST = "shop.localhost";
/** Longest time for which this thread is blocked, in milliseconds. */
const BLOCKED_MS = 20_000;

interface Asked {
  /** Whether this thread waits, and does nothing else, until all are answered. */
  readonly isBlocked?: boolean;
  /** What is sent by `POST`; a `GET` where it is missing. */
  readonly body?: string;
}

/** Sixteen connections, which a kernel spreads over the edge threads. */
export class Visitors implements Disposable {
  readonly #worker = new Worker(new URL("./_visiting_thread.ts", import.meta.url), {
    type: "module",
  });

  constructor(private readonly port: number) {}

  /** Status, `x-svc-cache` and text that each connection is answered, each that many times. */
  ask(path: string, times: number, options: Asked = {}): Promise<string[]> {
    const { isBlocked = false, body } = options;
    const done = new Int32Array(new SharedArrayBuffer(4));
    const answers = new Promise<string[]>((resolve) => {
      this.#worker.onmessage = ({ data }) => resolve(data);
    });
    const visit: Visit = { port: this.port, host: HOST, path, times, done, body };
    this.#worker.postMessage(visit);
    // The platform runs in this very thread: it does nothing until all are answered.
    if (isBlocked) assert.notEqual(Atomics.wait(done, 0, 0, BLOCKED_MS), "timed-out");
    return answers;
  }

  [Symbol.dispose](): void {
    this.#worker.terminate();
  }
}
