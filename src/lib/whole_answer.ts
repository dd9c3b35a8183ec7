/**
 * Answers that leave in one piece. Whoever serves a connection needs not wait
 * for their end: watching for it costs a tenth of such an answer's time on
 * Deno 2.6 (docs/decisions/own-listener.md).
 *
 * @module
 */

/** What a socket takes at once, whatever its client does. */
const MOST_BYTES = 64 * 1024;

const WHOLE = Symbol("whole answer");

type Markable = Response & { [WHOLE]?: true };

/** Marks an answer of that body, unless it is long or comes in parts. */
export function markWhole(
  response: Response,
  body: Uint8Array | string | ReadableStream | null,
): Response {
  const isWhole = body === null || typeof body === "string"
    ? (body?.length ?? 0) <= MOST_BYTES
    : body instanceof Uint8Array && body.byteLength <= MOST_BYTES;
  if (isWhole) (response as Markable)[WHOLE] = true;
  return response;
}

/** Whether an answer was marked. */
export function isWhole(response: Response): boolean {
  return (response as Markable)[WHOLE] === true;
}
