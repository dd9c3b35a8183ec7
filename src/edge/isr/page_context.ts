/** @module A request for a page, and how to reach the page's server. */
import type { ComputeRequest } from "../../runtime/mod.ts";
import type { ResponseHead } from "../cache/decide_store.ts";
import type { OriginResponse } from "../messages/messages.ts";
import { decideDeclared } from "./decide_declared.ts";
import { decidePage, type PageDecision } from "./decide_page.ts";
import type { PageRequest } from "./types.ts";

export interface PageOptions {
  /**
   * How long a page of the route is fresh, in seconds, or 0 if the responses declare this
   * themselves.
   */
  readonly revalidateSeconds: number;
  /** Whether a 404 is stored. */
  readonly stores404: boolean;
  /** Fetches the page for all visitors. A rejection means that the server could not respond. */
  fetchShared(request: ComputeRequest): Promise<OriginResponse>;
  /** Fetches the page for this client, with the client's own header fields. */
  fetchPrivate(): Promise<OriginResponse>;
}

/** A request, and how to fetch its page. */
export interface PageContext {
  readonly request: PageRequest;
  readonly options: PageOptions;
}

/** Decides whether to store the response to a shared request. */
export function decideShared(
  { request, options }: PageContext,
  response: ResponseHead,
  askedAt: number,
): PageDecision {
  const { stores404 } = options;
  if (!request.isDeclared) return decidePage(response, { stores404 });
  const shared = { ...request, method: "GET" };
  const decision = decideDeclared(response, {
    request: shared,
    askedAt,
    stores404,
    isShared: true,
  });
  return decision.type === "undeclared" ? { type: "private", reason: "no_lifetime" } : decision;
}
