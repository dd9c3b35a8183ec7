/** @module Reads the small form on the gate's page. */
import { readLimited } from "../../lib/read_limited.ts";

/** Maximum size of a form, in bytes. */
const MAX_FORM = 8 * 1024;

/**
 * Returns the fields of an `application/x-www-form-urlencoded` body, or `undefined` if the body is
 * too large.
 */
export async function readForm(
  body: ReadableStream<Uint8Array> | null,
): Promise<URLSearchParams | undefined> {
  const bytes = await readLimited(body, MAX_FORM);
  return bytes && new URLSearchParams(new TextDecoder().decode(bytes));
}
