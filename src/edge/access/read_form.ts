/**
 * Reads the small form of the gate.
 *
 * @module
 */

/** Largest form, in bytes. */
const MAX_FORM = 8 * 1024;

/** The fields of an `application/x-www-form-urlencoded` body; `undefined` for a larger one. */
export async function readForm(
  body: ReadableStream<Uint8Array> | null,
): Promise<URLSearchParams | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_FORM) return undefined;
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return new URLSearchParams(new TextDecoder().decode(bytes));
}
