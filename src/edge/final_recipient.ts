/**
 * @module Requests whose final recipient is the edge: TRACE and CONNECT, which it never forwards,
 * and OPTIONS with `Max-Forwards: 0` (RFC 9110, 7.6.2 and 9.3.6 to 9.3.8).
 */
import { METHODS } from "../rules/mod.ts";
import type { Header, HeaderList } from "./messages/header_list.ts";
import { hopsLeft, MAX_FORWARDS } from "./messages/max_forwards.ts";
import { edgePage, type PagedRequest } from "./response/error_pages.ts";
import type { EdgeResponse } from "./response/edge_response.ts";

const ALLOW: Header = ["allow", METHODS.join(", ")];

/** Methods that would expose the servers behind the edge. TRACK is another name for TRACE. */
const NEVER_FORWARDED: ReadonlySet<string> = new Set(["TRACE", "TRACK", "CONNECT"]);

/**
 * Returns the edge's own response to a request that must not be forwarded, or `undefined` for any
 * other request.
 */
export function respondAsFinalRecipient(
  request: PagedRequest,
  common: HeaderList,
): EdgeResponse | undefined {
  if (NEVER_FORWARDED.has(request.method)) {
    return edgePage(request, 405, { headers: [ALLOW, ...common] });
  }
  if (request.method !== "OPTIONS" || hopsLeft(request.header(MAX_FORWARDS)) !== 0) {
    return undefined;
  }
  return { status: 204, headers: [ALLOW, ...common], body: null, bytes: 0 };
}
