/**
 * @module Sends short responses in one piece, and long ones in pieces.
 *
 * The runtime holds a copy of each body that a client has not received yet. A long body is
 * therefore passed on in pieces that share the bytes of the cached body.
 */
import { Buffer } from "node:buffer";

type Bytes = Uint8Array<ArrayBuffer>;
type Body = Bytes | string | ReadableStream | null;

/** Number of bytes that a socket accepts immediately, even if the client reads nothing. */
const MOST_BYTES = 64 * 1024;

/**
 * Size of each piece of a long body, in bytes. Each received piece counts as progress by the
 * client.
 */
const PIECE_BYTES = 32 * 1024;

const WHOLE = Symbol("whole answer");

const STREAM = Symbol("streamed answer");

type Markable = Response & { [WHOLE]?: Bytes | string | null; [STREAM]?: true };

const isShort = (body: Bytes | string): boolean => body.length <= MOST_BYTES;

/**
 * Creates a response. A short body is marked as being sent in one piece, and a long one is sent in
 * several pieces.
 */
export function answerOf(body: Body, status: number): Response {
  const init = status === 200 ? undefined : { status };
  if (body instanceof Uint8Array && !isShort(body)) return new Response(inPieces(body), init);
  const response = new Response(body, init);
  if (body === null || (!(body instanceof ReadableStream) && isShort(body))) {
    (response as Markable)[WHOLE] = body;
  }
  if (body instanceof ReadableStream) (response as Markable)[STREAM] = true;
  return response;
}

/** Returns whether a response from `answerOf()` is a stream, which can take a long time. */
export const isStreamed = (response: Response): boolean => STREAM in response;

/**
 * Returns the body of a response that is sent in one piece, or `undefined` for any other response.
 */
export function wholeBody(response: Response): Bytes | string | null | undefined {
  return (response as Markable)[WHOLE];
}

/**
 * Returns whether a response is sent in one piece. Nothing needs to wait for the end of such a
 * response.
 */
export function isWhole(response: Response): boolean {
  return wholeBody(response) !== undefined;
}

/**
 * Returns a stream whose pieces share the bytes and are created on demand. `handed` is called with
 * the length of each piece.
 */
export function inPieces(
  body: Bytes | string,
  handed: (bytes: number) => void = () => {},
): ReadableStream<Bytes> {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      const end = Math.min(at + PIECE_BYTES, bytes.byteLength);
      handed(end - at);
      if (end > at) controller.enqueue(bytes.subarray(at, end));
      at = end;
      if (at === bytes.byteLength) controller.close();
    },
  }, { highWaterMark: 0 });
}
