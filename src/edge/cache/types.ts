/** @module The types that the parts of the cache share. */
import type { CacheDecision, RequestFacts } from "../../rules/mod.ts";
import type { HeaderList } from "../messages/header_list.ts";
import type { MemoryBody } from "../messages/body.ts";
import type { OriginResponse } from "../messages/messages.ts";

/** The `cache` rule that a request matched. */
export type CacheRule = Omit<Extract<CacheDecision, { readonly type: "cache" }>, "rule" | "type">;

/** The fields of a request that the cache reads: facts that rules use, and the deployment. */
export interface CacheRequest extends
  Pick<
    RequestFacts,
    "method" | "host" | "path" | "rawQuery" | "header" | "cookie" | "country" | "asn" | "device"
  > {
  readonly deploymentId: string;
  /**
   * The part of the cache key that identifies the origin: the URL of a rewrite or the name of a
   * function. This part is needed because rules can choose the origin by fields that are not in the
   * key. The part also contains everything else that the origin sees but that the rest of the key
   * lacks, such as the client's scheme and port if they are sent as `X-Forwarded-Proto` and
   * `X-Forwarded-Host`.
   */
  readonly originKey?: string;
}

/** The parts of a request that select one of the responses stored under its key. */
export interface CacheReader extends Pick<CacheRequest, "method"> {
  header(name: string): string | undefined;
}

/** The form in which a request is sent to the origin. */
export type OriginRequest =
  /** The request as the client sent it. */
  | { readonly type: "as_is" }
  /**
   * A `GET` request without the client's fields in `without`, and with the fields in `conditions`.
   * The request must not end when the client disconnects, because other clients may be waiting for
   * it.
   */
  | {
    readonly type: "for_cache";
    readonly without: ReadonlySet<string>;
    readonly conditions: HeaderList;
    /** Whether this response refreshes a stale one that the client has already received. */
    readonly isRefresh: boolean;
  };

/** Value of `x-svc-cache`. */
export type CacheResult = "HIT" | "MISS" | "STALE" | "BYPASS";

/** The cache's response to the client. */
export interface CachedResponse extends OriginResponse {
  /** Length of the body in bytes, or `undefined` if it is not known in advance. */
  readonly bytes: number | undefined;
  readonly result: CacheResult;
}

/**
 * How long and under which conditions a response may be served (RFC 9111, 4.2; RFC 5861). Times are
 * in seconds.
 */
export interface Terms {
  readonly lifetime: number;
  readonly staleWhileRevalidate: number;
  readonly staleIfError: number;
  /** Whether the response is never served stale, even if the client allows it. */
  readonly mustRevalidate: boolean;
  /** Whether the response is revalidated at the origin before each use. */
  readonly noCache: boolean;
  /** Whether the response can be used for requests with `Authorization` (RFC 9111, 3.5). */
  readonly sharedWithAuthorized: boolean;
}

/**
 * A complete response in the store. It never changes, but can be replaced by a fresher response.
 */
export interface StoredResponse {
  readonly status: number;
  /** The fields as they are sent to clients, without `age`, but always with `date`. */
  readonly headers: HeaderList;
  readonly body: MemoryBody;
  readonly terms: Terms;
  /** The response's age on arrival, in seconds (RFC 9111, 4.2.3). */
  readonly initialAge: number;
  /** When the response arrived or was last validated, in milliseconds. */
  readonly responseTime: number;
  /** The request fields that `Vary` names, with the values that selected this response. */
  readonly vary: readonly VaryField[];
  /** Tags that purges use. */
  readonly tags: readonly string[];
  /**
   * The time at which a purge marked the response as stale, in milliseconds. The response has
   * counted as stale since then, regardless of its lifetime.
   */
  readonly staleSince?: number | undefined;
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
}

export interface VaryField {
  readonly name: string;
  /** The normalized value, or `null` if the request had no such field. */
  readonly value: string | null;
}
