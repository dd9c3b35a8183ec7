/**
 * The content of a GET or HEAD. Deno reads it from the connection and gives
 * `null` as the body of such a request, as the Fetch standard wants it; another
 * site may want the content all the same (RFC 9110, 9.3.1 leaves it open).
 *
 * The object behind a `Request` of Deno's server decides by its `method`. That
 * is no public interface: where it is another, the content stays behind.
 *
 * @module
 */

type Content = ReadableStream<Uint8Array<ArrayBuffer>>;

/** Deno's name for the symbol under which a `Request` has the object behind it. */
const INNER_NAME = "request";

const INNER = Object.getOwnPropertySymbols(new Request("http://localhost/"))
  .find(({ description }) => description === INNER_NAME);

/** A method that may have content. */
const WITH_CONTENT = { value: "POST", configurable: true } as const;

/** Whether the fields say that content follows (RFC 9112, 6.3); HTTP/2 does so by `Content-Length` alone. */
function announcesContent(headers: Headers): boolean {
  const length = headers.get("content-length");
  return length === null ? headers.has("transfer-encoding") : !/^0*$/.test(length);
}

/**
 * The content of a GET or HEAD that came to Deno's server; `null` where it has
 * none. To be asked before anything else has asked for the request's body.
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
