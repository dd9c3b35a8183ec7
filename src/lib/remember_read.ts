/**
 * Returns a function that calls `read` once and keeps its result. After a failure, the next call
 * reads again.
 */
export function rememberRead<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | undefined;
  return () =>
    reading ??= read().catch((error) => {
      reading = undefined;
      throw error;
    });
}
