/** @module Converts cacheable responses that are not stored to the form that clients get. */
import type { CachedResponse } from "../cache/types.ts";
import { contentLength, deliver } from "../cache/deliver.ts";
import { withoutConsumed } from "../cache/own_fields.ts";
import { withReport } from "../cache/cache_status.ts";
import type { OriginResponse } from "../messages/messages.ts";
import { clientCacheControl } from "./decide_page.ts";
import type { DeclaredDecision } from "./decide_declared.ts";
import type { PageRequest } from "./types.ts";

/** Returns a shared response in the form that every client gets. */
export function forClients(response: OriginResponse): OriginResponse {
  const headers = response.headers.filter(([name]) => name !== "cache-control");
  return { ...response, headers: [...headers, clientCacheControl(response.headers)] };
}

/** Returns a response that is only for one client, with the reason. */
export function privateResponse(response: OriginResponse, reason?: string): CachedResponse {
  const headers = withReport(response.headers, {
    result: "BYPASS",
    forward: "bypass",
    forwardStatus: response.status,
    detail: reason,
  });
  return { ...response, headers, bytes: contentLength(response.headers), result: "BYPASS" };
}

/**
 * Returns the response to a client's own request, based on the decision about storing the response.
 */
export function unstoredResponse(
  request: PageRequest,
  response: OriginResponse,
  { decision, now }: { readonly decision: DeclaredDecision; readonly now: number },
): OriginResponse {
  if (decision.type === "private") return privateResponse(response, decision.reason);
  if (decision.type !== "store") {
    return { ...response, headers: withoutConsumed(response.headers) };
  }
  return deliver(request, forClients(response), {
    report: {
      result: "MISS",
      forward: "uri-miss",
      forwardStatus: response.status,
      stored: false,
    },
    now,
    background: false,
  });
}
