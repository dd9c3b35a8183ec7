/** @module Reads a stream until a signal ends the reading. */

/**
 * Yields a stream's chunks. Cancels the stream when the signal is aborted, or when the caller stops.
 *
 * Use it even for a response that was requested with this signal. In Deno 2.7, `fetch()` does not
 * hold its signal, so once the response is garbage, the signal no longer ends its body.
 *
 * @throws the signal's reason once the signal is aborted
 */
export async function* readUntilAborted<T>(
  stream: ReadableStream<T>,
  signal: AbortSignal,
): AsyncGenerator<T, void, void> {
  const reader = stream.getReader();
  const cancel = () => void reader.cancel(signal.reason).catch(() => {});
  signal.addEventListener("abort", cancel, { once: true });
  try {
    for (;;) {
      signal.throwIfAborted();
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener("abort", cancel);
    await reader.cancel().catch(() => {});
  }
}
