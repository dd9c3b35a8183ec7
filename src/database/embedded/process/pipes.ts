/**
 * @module The frames of a database's process: read from standard input and written to standard
 * output, both without an event loop, because the engine handles a message before it returns.
 */
import {
  concat,
  encodeFrame,
  type Frame,
  FrameReader,
} from "../../../runtime/process/frames/frame.ts";
import { MAX_FRAME_BYTES } from "../wire.ts";

const READ_BYTES = 64 * 1024;

/** Output that is collected before it is written, in bytes. */
const WRITE_BYTES = 64 * 1024;

export class Pipes {
  readonly #reader = new FrameReader(MAX_FRAME_BYTES);
  readonly #buffer = new Uint8Array(READ_BYTES);
  #outgoing: Uint8Array[] = [];
  #queued = 0;

  /** Waits for frames; `undefined` once the platform has disconnected. */
  read(): readonly Frame[] | undefined {
    this.flush();
    for (;;) {
      const count = Deno.stdin.readSync(this.#buffer);
      if (count === null) return undefined;
      const frames = this.#reader.feed(this.#buffer.subarray(0, count));
      if (frames.length > 0) return frames;
    }
  }

  send(type: number, id: number, payload?: Uint8Array): void {
    const bytes = encodeFrame({ type, worker: 0, id, ...(payload && { payload }) });
    this.#outgoing.push(bytes);
    this.#queued += bytes.byteLength;
    if (this.#queued >= WRITE_BYTES) this.flush();
  }

  /** Writes the queued bytes, and waits until the platform accepts them. */
  flush(): void {
    if (this.#outgoing.length === 0) return;
    const bytes = this.#outgoing.length === 1 ? this.#outgoing[0]! : concat(this.#outgoing);
    this.#outgoing = [];
    this.#queued = 0;
    for (let at = 0; at < bytes.byteLength;) at += Deno.stdout.writeSync(bytes.subarray(at));
  }
}
