/** @module A request under a `cache` rule, and how to reach its origin. */
import type { CacheDecision } from "../../rules/mod.ts";
import type { HeaderList } from "../messages/header_list.ts";
import type { OriginResponse } from "../messages/messages.ts";
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
  readonly rule: CacheDecision;
  /** Whether the request bypasses request collapsing, because its response is seldom stored. */
  readonly isAlone?: boolean;
  /** Fields that every response of the site has. Stored responses already include them. */
  readonly common?: HeaderList;
  /** Sends the request to the origin. A rejection means that the origin cannot be reached. */
  fetchOrigin(request: OriginRequest): Promise<OriginResponse>;
  /** Accepts work that continues after the response and never rejects. */
  waitUntil(work: Promise<unknown>): void;
}

export interface CacheContext {
  readonly request: CacheRequest;
  readonly rule: CacheRule;
  readonly key: string;
  readonly options: HandleOptions;
}

/** A lookup that requires a request to the origin. The response may be stored. */
export type ForwardDecision = Extract<
  LookupDecision<Entry>,
  { readonly type: "miss" | "revalidate" }
>;

interface Serving {
  readonly now: number;
  readonly report: CacheReport;
}

/** Serves a stored response, with the fields that report the cache hit. */
export function serveStored(
  stored: StoredResponse,
  request: CacheRequest,
  { now, report }: Serving,
): CachedResponse {
  const headers = outgoingHeaders(stored, now, report);
  return responseFrom(stored, request, { headers, result: report.result });
}
