/**
 * @module The connection from a Node process to the process that started it. `send` returns once
 * the data has left the process, so the last messages of a process arrive even as it exits.
 */
import { writeSync } from "node:fs";
import { connect } from "node:net";
import { encodeFrame, type Frame, FrameReader } from "../../process/frames/frame.ts";
import { toPayload } from "../../process/frames/payload.ts";

/** Maximum size of a payload from the platform, in bytes. */
const MAX_PAYLOAD_BYTES = 4096;

/** Pause before writing again to a connection with a full buffer, in milliseconds. */
const PAUSE_MS = 1;

const { wait } = Atomics;

interface ControlOptions {
  /** Path of the Unix socket. */
  readonly path: string;
  readonly take: (frame: Frame) => void;
  /** Called when the parent process disconnects. */
  readonly closed: () => void;
}

interface Connected {
  readonly _handle: { readonly fd: number };
}

export class Control {
  readonly #descriptor: number;
  readonly #pause = new Int32Array(new SharedArrayBuffer(4));

  constructor({ path, take, closed }: ControlOptions) {
    const socket = connect(path);
    // A Unix socket connects either immediately or not at all.
    this.#descriptor = (socket as unknown as Connected)._handle.fd;
    const reader = new FrameReader(MAX_PAYLOAD_BYTES);
    socket.on("data", (bytes: Uint8Array) => {
      for (const frame of reader.feed(bytes)) take(frame);
    });
    socket.on("error", closed);
    socket.on("close", closed);
    // Lets the process exit when the server has nothing left to wait for.
    socket.unref();
  }

  /** Sends a frame. Does nothing if the parent process has disconnected. */
  send(type: number, head: object = {}, id = 0): void {
    const bytes = encodeFrame({ type, worker: 0, id, payload: toPayload(head) });
    for (let at = 0; at < bytes.byteLength;) {
      try {
        at += writeSync(this.#descriptor, bytes, at);
      } catch (error) {
        if ((error as { readonly code?: string }).code !== "EAGAIN") return;
        wait(this.#pause, 0, 0, PAUSE_MS);
      }
    }
  }
}
