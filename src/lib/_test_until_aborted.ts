/** @module A request to a server that never responds, for tests. */

const waiting = new Set<AbortSignal>();

/**
 * Rejects with the signal's reason once the signal is aborted. Holds the signal until then, like a
 * real request: in Deno 2.7, a listener alone does not keep a signal of `AbortSignal.any()` in
 * memory.
 */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = () => {
      waiting.delete(signal);
      reject(signal.reason);
    };
    waiting.add(signal);
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
}
