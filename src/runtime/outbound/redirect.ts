/** @module Follows redirects of outbound requests (Fetch standard, HTTP-redirect fetch). */
import { OutboundError } from "../http1/errors.ts";
import type { OutboundRequest, OutboundResponse } from "./types.ts";

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Headers that are meant for a single origin. */
const BOUND_TO_ORIGIN: ReadonlySet<string> = new Set(["authorization", "cookie", "cookie2"]);

/** Headers that describe a body. */
const OF_BODY = /^content-/i;

/**
 * Returns the request that follows a redirect, or `undefined` if the response is not a redirect or
 * redirects are not followed.
 *
 * @throws OutboundError if the redirect cannot be followed
 */
export function nextRequest(
  request: OutboundRequest,
  response: OutboundResponse,
): OutboundRequest | undefined {
  const mode = request.redirect ?? "manual";
  const location = response.headers.find(([name]) => name.toLowerCase() === "location")?.[1];
  if (!REDIRECTS.has(response.status) || location === undefined || mode === "manual") {
    return undefined;
  }
  if (mode === "error") {
    throw new OutboundError(
      "bad_response",
      "The response is a redirect, which is not allowed here",
    );
  }
  const url = URL.parse(location, response.url);
  if (url === null) throw new OutboundError("bad_response", "The redirect has no valid URL");
  const { status } = response;
  const toGet = (status === 303 && request.method !== "HEAD") ||
    ((status === 301 || status === 302) && request.method === "POST");
  if (!toGet && request.body !== null) {
    throw new OutboundError(
      "bad_response",
      "The redirect needs the request body again, but it was already sent",
    );
  }
  const sameOrigin = url.origin === new URL(response.url).origin;
  return {
    ...request,
    url: url.href,
    method: toGet ? "GET" : request.method,
    body: null,
    headers: request.headers.filter(([name]) =>
      (sameOrigin || !BOUND_TO_ORIGIN.has(name.toLowerCase())) && !(toGet && OF_BODY.test(name))
    ),
  };
}
