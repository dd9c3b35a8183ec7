/**
 * Waiting for what another process or a queue does.
 *
 * @module
 */

/** Reads again until a value is as wanted. @throws after half a minute */
export async function until<T>(
  read: () => T | Promise<T>,
  wanted: (value: T) => boolean,
): Promise<T> {
  const end = performance.now() + 30_000;
  for (;;) {
    const value = await read();
    if (wanted(value)) return value;
    if (performance.now() > end) throw new Error(`Still ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
