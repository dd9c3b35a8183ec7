/**
 * @module The frames of a database's process: read from standard input and written to standard
 * output. Both operations block, because the engine is synchronous.
 */
import {
  encodeFrame,
  type Frame,
  FrameReader,
  HEADER_BYTES,
  writeFrame,
} from "../../../runtime/process/frames/frame.ts";
import { MAX_FRAME_BYTES } from "../wire.ts";

const READ_BYTES = 64 * 1024;

/** Maximum number of bytes of output to collect before they are written. */
const WRITE_BYTES = 64 * 1024;

function writeAllSync(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.byteLength;) at += Deno.stdout.writeSync(bytes.subarray(at));
}

export class Pipes {
  readonly #reader = new FrameReader(MAX_FRAME_BYTES);
  readonly #buffer = new Uint8Array(READ_BYTES);
  readonly #outgoing = new Uint8Array(WRITE_BYTES);
  #queued = 0;

  /** Waits for frames. Returns `undefined` once the platform has disconnected. */
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
    const frame = { type, worker: 0, id, payload };
    const size = HEADER_BYTES + (payload?.byteLength ?? 0);
    if (this.#queued + size > WRITE_BYTES) this.flush();
    if (size > WRITE_BYTES) return writeAllSync(encodeFrame(frame));
    writeFrame(frame, this.#outgoing, this.#queued);
    this.#queued += size;
  }

  /** Writes the queued bytes, and waits until the platform accepts them. */
  flush(): void {
    if (this.#queued === 0) return;
    writeAllSync(this.#outgoing.subarray(0, this.#queued));
    this.#queued = 0;
  }
}
