/** @module A wait that a signal can end. */

/**
 * Waits for `work` until the signal is aborted. The work itself continues.
 *
 * @throws the signal's reason once the signal is aborted
 */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([promise, work]);
  } finally {
    signal.removeEventListener("abort", abort);
    work.catch(() => {});
  }
}
