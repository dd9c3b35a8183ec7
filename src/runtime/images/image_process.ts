/** @module An image process and its job, from its start to its end. */
import { type Frame, ProtocolError } from "../process/frames/frame.ts";
import { toPayload } from "../process/frames/payload.ts";
import type { SupervisedProcess } from "../process/process_supervisor.ts";
import type { RunningImageProcess } from "./start_image_process.ts";
import type { ConvertFailure, ConvertJob, ConvertResult } from "./types.ts";
import { type DoneHead, type FailedHead, ImageFrame, type ReadyHead } from "./wire.ts";
import * as z from "zod";
import { parsePayload } from "../process/parse_payload.ts";
import { MAX_RESULT_SIDE } from "./limits.ts";

const MAX_HEAD_BYTES = 4096;

const side = z.int().min(1).max(MAX_RESULT_SIDE);
const readyHead = z.strictObject({
  version: z.string().max(64),
  files: z.boolean(),
  network: z.boolean(),
});
const doneHead = z.strictObject({ width: side, height: side });
const failedHead = z.strictObject({
  reason: z.enum(["broken", "too_large"]),
  message: z.string().max(1000),
});

/** These parsers return `undefined` if the payload has a different shape. */
const parseReady = (payload: Uint8Array): ReadyHead | undefined =>
  parsePayload(readyHead, payload, MAX_HEAD_BYTES);
const parseDone = (payload: Uint8Array): DoneHead | undefined =>
  parsePayload(doneHead, payload, MAX_HEAD_BYTES);
const parseFailed = (payload: Uint8Array): FailedHead | undefined =>
  parsePayload(failedHead, payload, MAX_HEAD_BYTES);

/** Why a process exits. Its current job fails for that reason. */
export interface ImageProcessEnd {
  readonly reason: ConvertFailure;
  readonly message: string;
}

export class ImageProcess implements SupervisedProcess {
  readonly startedAt = performance.now();
  /** Why the process exits, as soon as that is certain. */
  end: ImageProcessEnd | undefined;
  readonly #ready = Promise.withResolvers<ReadyHead>();
  #finish: ((result: ConvertResult) => void) | undefined;
  #head: DoneHead | undefined;

  constructor(readonly running: RunningImageProcess) {
    // The rejection of the promise must not count as unhandled if no one awaits the promise.
    this.#ready.promise.catch(() => {});
  }

  get isEnding(): boolean {
    return this.end !== undefined;
  }

  get gone(): Promise<unknown> {
    return this.running.ended;
  }

  get isBusy(): boolean {
    return this.#finish !== undefined;
  }

  /** Resolves when the engine is loaded. Rejects if the process exits first. */
  get ready(): Promise<ReadyHead> {
    return this.#ready.promise;
  }

  /** Converts an image. The process must not have another job. */
  convert({ source, owner: _, ...conversion }: ConvertJob): Promise<ConvertResult> {
    const { connection } = this.running;
    connection.send({ type: ImageFrame.job, worker: 0, id: 0, payload: toPayload(conversion) });
    connection.send({ type: ImageFrame.source, worker: 0, id: 0, payload: source });
    return new Promise((resolve) => this.#finish = resolve);
  }

  /** @throws {ProtocolError} If the process sends invalid frames */
  take({ type, payload }: Frame): void {
    if (type === ImageFrame.ready) {
      const head = parseReady(payload);
      if (head !== undefined) return this.#ready.resolve(head);
    } else if (type === ImageFrame.done && this.isBusy && this.#head === undefined) {
      this.#head = parseDone(payload);
      if (this.#head !== undefined) return;
    } else if (type === ImageFrame.bytes && this.#head !== undefined) {
      const head = this.#head;
      this.#head = undefined;
      return this.#settle({ ok: true, bytes: payload, ...head });
    } else if (type === ImageFrame.failed && this.isBusy) {
      const head = parseFailed(payload);
      if (head !== undefined) return this.#settle({ ok: false, ...head });
    }
    throw new ProtocolError(`The process sent an unexpected frame of type ${type}`);
  }

  /** Fails the current job, because the process has exited. */
  lost(end: ImageProcessEnd): void {
    this.#ready.reject(new Error(end.message));
    this.#settle({ ok: false, ...end });
  }

  #settle(result: ConvertResult): void {
    const finish = this.#finish;
    this.#finish = undefined;
    finish?.(result);
  }
}
