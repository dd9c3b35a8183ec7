/**
 * @module Reads the content of a GET or HEAD. Deno reads it from the connection, but the `body` of
 * the `Request` is `null`, as the Fetch standard requires. An upstream may need the content (RFC
 * 9110, 9.3.1 allows that).
 *
 * Deno's server checks the `method` of the `Request`'s internal object to decide whether there is a
 * body. That object is not public. If it is missing, the content is not forwarded.
 */

import { announcesContent } from "../../lib/announced_content.ts";

type Content = ReadableStream<Uint8Array<ArrayBuffer>>;

/** The name of Deno's symbol for the internal object of a `Request`. */
const INNER_NAME = "request";

const INNER = Object.getOwnPropertySymbols(new Request("http://localhost/"))
  .find(({ description }) => description === INNER_NAME);

/** A property descriptor that replaces the method with one that allows content. */
const WITH_CONTENT = { value: "POST", configurable: true } as const;

/**
 * Returns the content of a GET or HEAD request to Deno's server, or `null` if there is no content.
 * Must be called before anything else reads `request.body`.
 */
export function contentOf(request: Request): Content | null {
  if (INNER === undefined || !announcesContent(request.headers)) return null;
  const inner = (request as unknown as Record<symbol, { method?: string } | undefined>)[INNER];
  if (inner === undefined) return null;
  try {
    Object.defineProperty(inner, "method", WITH_CONTENT);
    return request.body;
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  } finally {
    delete inner.method;
  }
}
