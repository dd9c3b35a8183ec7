/**
 * Signals that are asked for late.
 *
 * @module
 */

/**
 * Ends a request that nobody waits for any more. As a function it is asked for
 * only once the answer is late or comes in parts: most never are, and a signal
 * of a request that is served costs several microseconds.
 */
export type LazySignal = AbortSignal | (() => AbortSignal);

/** The signal, now. */
export function resolveSignal(signal: LazySignal | undefined): AbortSignal | undefined {
  return typeof signal === "function" ? signal() : signal;
}
