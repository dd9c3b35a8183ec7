/**
 * Signals that are created only when they are needed.
 *
 * @module
 */

/**
 * Aborts a request that nobody waits for any more. A function is called only once
 * the answer is late or comes in parts: for most requests it never is, and the
 * signal of a request that `Deno.serve` handles costs several microseconds.
 */
export type LazySignal = AbortSignal | (() => AbortSignal);

/** The signal itself; a function is called for it. */
export function resolveSignal(signal: LazySignal | undefined): AbortSignal | undefined {
  return typeof signal === "function" ? signal() : signal;
}
