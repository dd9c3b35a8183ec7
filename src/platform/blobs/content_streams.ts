/** Checks content while it streams. @module */

/** Number of bytes after which the quota is checked again, for a body of unknown length. */
const ASK_AFTER = 1024 * 1024;

/** Checks streamed content, and makes the stream fail if the content is wrong. */
export function verified(
  stream: ReadableStream<Uint8Array>,
  check: { update(chunk: Uint8Array): void | Promise<void>; end(): void | Promise<void> },
): ReadableStream<Uint8Array> {
  return stream.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      async transform(chunk, controller) {
        await check.update(chunk);
        controller.enqueue(chunk);
      },
      flush: () => check.end(),
    }),
  );
}

/** Counts the bytes of a request. */
export interface Counter {
  add(more: number): void;
  /** @throws {BlobStoreError} `QuotaExceeded` */
  requireRoom(): Promise<void>;
}

/** Counts a body without a stated length as it arrives. */
export function counted(
  stream: ReadableStream<Uint8Array>,
  { add, requireRoom }: Counter,
): ReadableStream<Uint8Array> {
  let unasked = 0;
  return verified(stream, {
    async update({ byteLength }) {
      add(byteLength);
      unasked += byteLength;
      if (unasked < ASK_AFTER) return;
      unasked = 0;
      await requireRoom();
    },
    end: requireRoom,
  });
}
