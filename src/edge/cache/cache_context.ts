/**
 * One request on its way through the cache.
 *
 * @module
 */
import type { CacheDecision } from "../../rules/mod.ts";
import type { HeaderList, OriginResponse } from "../messages/mod.ts";
import type { CacheReport } from "./cache_status.ts";
import type { Entry } from "./cache_store.ts";
import type { LookupDecision } from "./decide_lookup.ts";
import { outgoingHeaders, responseFrom } from "./stored_response.ts";
import type {
  CachedResponse,
  CacheRequest,
  CacheRule,
  OriginRequest,
  StoredResponse,
} from "./types.ts";

export interface HandleOptions {
  /** What the rules say about caching this request. */
  readonly rule: CacheDecision;
  /** Fields that every answer to such a request carries; hits come with them. */
  readonly common?: HeaderList;
  /** Asks whatever is behind the cache. A rejection means that it can not be reached. */
  fetchOrigin(request: OriginRequest): Promise<OriginResponse>;
  /** Takes work that goes on after the answer; it never rejects. */
  waitUntil(work: Promise<unknown>): void;
}

/** A request under a `cache` rule. */
export interface CacheContext {
  readonly request: CacheRequest;
  readonly rule: CacheRule;
  readonly key: string;
  readonly options: HandleOptions;
}

/** A reason to ask the origin for an answer that may be kept. */
export type ForwardDecision = Extract<
  LookupDecision<Entry>,
  { readonly type: "miss" | "revalidate" }
>;

/** Answers with a stored answer, and says so. */
export function serveStored(
  stored: StoredResponse,
  request: CacheRequest,
  { now, report }: { readonly now: number; readonly report: CacheReport },
): CachedResponse {
  const headers = outgoingHeaders(stored, now, report);
  return responseFrom(stored, request, { headers, result: report.result });
}
