/**
 * @module Responses without content: responses to `HEAD`, and responses whose status has no
 * content.
 */
import { findHeader, type HeaderList } from "../messages/header_list.ts";

/** Statuses that have no content (RFC 9110, 15). */
const WITHOUT_CONTENT = new Set([204, 205, 304]);

/**
 * Returns whether a response with this status, to a request with this method, has no content (RFC
 * 9110, 6.4.1).
 */
export function hasNoContent(method: string, status: number): boolean {
  return method === "HEAD" || WITHOUT_CONTENT.has(status);
}

/** Returns an empty body that does not imply a `content-length` for `GET`. */
export function emptyStream(): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({ start: (controller) => controller.close() });
}

/**
 * Returns the body of a response without content. For `HEAD` with an unknown length, the body is an
 * empty stream, because `Deno.serve` would send `content-length: 0` for `null`. For a status
 * without content, the body must be `null`.
 */
export function noContent(
  status: number,
  headers: HeaderList,
): ReadableStream<Uint8Array<ArrayBuffer>> | null {
  const isClear = WITHOUT_CONTENT.has(status) ||
    findHeader(headers, "content-length") !== undefined;
  return isClear ? null : emptyStream();
}
