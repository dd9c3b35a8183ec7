/**
 * One request on its way through the cache.
 *
 * @module
 */
import type { CacheDecision } from "../../rules/mod.ts";
import type { HeaderList, OriginAnswer } from "../messages/mod.ts";
import type { CacheReport } from "./cache_status.ts";
import type { Entry } from "./cache_store.ts";
import type { LookupDecision } from "./decide_lookup.ts";
import { answerFrom, outgoingHeaders } from "./stored_response.ts";
import type {
  CachedAnswer,
  CacheRequest,
  CacheRule,
  OriginRequest,
  StoredAnswer,
} from "./types.ts";

export interface HandleOptions {
  /** What the rules say about caching this request. */
  readonly rule: CacheDecision;
  /** Fields that every answer to such a request carries; hits come with them. */
  readonly common?: HeaderList;
  /** Asks whatever is behind the cache. A rejection means that it can not be reached. */
  fetchOrigin(request: OriginRequest): Promise<OriginAnswer>;
  /** Takes work that goes on after the answer; it never rejects. */
  waitUntil(work: Promise<unknown>): void;
}

/** A request under a `cache` rule. */
export interface Turn {
  readonly request: CacheRequest;
  readonly rule: CacheRule;
  readonly key: string;
  readonly options: HandleOptions;
}

/** A reason to ask the origin for an answer that may be kept. */
export type Ask = Extract<LookupDecision<Entry>, { readonly type: "miss" | "revalidate" }>;

/** Answers with a stored answer, and says so. */
export function serveStored(
  stored: StoredAnswer,
  request: CacheRequest,
  { now, report }: { readonly now: number; readonly report: CacheReport },
): CachedAnswer {
  const headers = outgoingHeaders(stored, now, report);
  return answerFrom(stored, request, { headers, result: report.result });
}
