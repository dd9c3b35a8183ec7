/**
 * Responses that leave in one write, for systems on which accepted sockets
 * cannot be given TCP_NODELAY: over TLS, Deno 2.9 writes the head and a body
 * above 512 bytes one after the other, and the second write waits for the
 * client's delayed acknowledgement (docs/decisions/own-listener.md).
 *
 * @module
 */
import { isWhole } from "../../../lib/whole_answer.ts";
import type { ConnectionHandler } from "./types.ts";

/**
 * The head of a stream of unknown length waits for its first chunk; one that is
 * over then needs no other write.
 */
const streamOf = (bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> =>
  new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });

async function asStream(response: Response): Promise<Response> {
  if (response.body === null || !isWhole(response)) return response;
  const bytes = await response.bytes();
  const streamed = new Response(streamOf(bytes), response);
  streamed.headers.delete("content-length");
  return streamed;
}

/**
 * Passes the bodies of whole answers to the runtime as streams, which costs more
 * than a body in memory, and loses the length. Other answers stay as they are.
 */
export function sendInOneWrite(handler: ConnectionHandler): ConnectionHandler {
  return async (request, connection) => await asStream(await handler(request, connection));
}
