/**
 * @module Checks whether a request announces content, and removes its body if it does not.
 *
 * The runtime gives each request a body unless its method is GET or HEAD. Without this check, a
 * server behind the edge would get an empty chunked body, which many servers handle differently
 * from no body.
 */
import { fieldOf, hasField } from "./raw_fields.ts";

/**
 * Returns whether the header fields announce content (RFC 9112, 6.3). In HTTP/2, only
 * `Content-Length` does.
 */
export function announcesContent(headers: Headers): boolean {
  const length = fieldOf(headers, "content-length");
  return length === null ? hasField(headers, "transfer-encoding") : !/^0*$/.test(length);
}

/** Returns the same request with `null` as its body. */
export function withoutBody(request: Request): Request {
  return Object.setPrototypeOf(request, EMPTY);
}

const EMPTY: object = Object.create(Request.prototype, {
  body: { value: null },
  clone: {
    value(this: Request) {
      return withoutBody(Request.prototype.clone.call(this));
    },
  },
});
