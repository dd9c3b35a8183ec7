/**
 * Messages to another thread, sent together: those of one turn of the event loop
 * cost as much as a single one.
 *
 * @module
 */

/** One end of a channel: a worker, or its own scope. */
export interface Endpoint {
  postMessage(message: unknown): void;
}

export class BatchPort<Message> {
  #waiting: Message[] = [];

  constructor(private readonly endpoint: Endpoint) {}

  /** Sends a message at the end of this turn. */
  send(message: Message): void {
    if (this.#waiting.push(message) > 1) return;
    queueMicrotask(() => this.flush());
  }

  /** Sends what waits at once. */
  flush(): void {
    const messages = this.#waiting;
    if (messages.length === 0) return;
    this.#waiting = [];
    this.endpoint.postMessage(messages);
  }
}

/** The bytes alone: cloning a part of a buffer would copy all of it. */
export function alone(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength
    ? bytes as Uint8Array<ArrayBuffer>
    : bytes.slice();
}
