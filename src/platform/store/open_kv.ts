/**
 * Opening the key-value store.
 *
 * @module
 */

/**
 * Opens a Deno KV database by path, or by URL where it is another machine's.
 *
 * @throws {TypeError} where it can not be opened, saying which and why.
 */
export async function openKv(place: string): Promise<Deno.Kv> {
  try {
    return await Deno.openKv(place);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TypeError(`Can not open the key-value store ${place}: ${reason}`, { cause });
  }
}
