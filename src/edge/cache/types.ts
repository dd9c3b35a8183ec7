/**
 * What the parts of the cache hand to each other.
 *
 * @module
 */
import type { CacheDecision, RequestFacts } from "../../rules/mod.ts";
import type { Bytes, HeaderList, OriginResponse } from "../messages/mod.ts";

/** The `cache` rule that a request fell under; `CacheDecision` of the rule evaluation. */
export type CacheRule = Omit<Extract<CacheDecision, { readonly type: "cache" }>, "rule" | "type">;

/** What the cache reads of a request: the facts of the rules, and which site it is for. */
export interface CacheRequest extends
  Pick<
    RequestFacts,
    "method" | "host" | "path" | "rawQuery" | "header" | "cookie" | "country" | "asn" | "device"
  > {
  readonly deploymentId: string;
  /**
   * What answers, where rules chose it (the URL of a rewrite, the name of a
   * function), for rules may choose by what the key lacks; and whatever else the
   * origin is told that the key lacks: the scheme and the port that the client
   * used, where they are sent on as `X-Forwarded-Proto` and `X-Forwarded-Host`.
   */
  readonly originKey?: string;
}

/** As much of a request as chooses among the answers of its key. */
export interface CacheReader extends Pick<CacheRequest, "method"> {
  header(name: string): string | undefined;
}

/** Where a request is kept: what purge and invalidation name entries by. */
export interface ResourceUri {
  readonly deploymentId: string;
  readonly host: string;
  readonly path: string;
  readonly rawQuery: string;
}

/** How whatever is behind the cache must be asked. */
export type OriginRequest =
  /** As the client asked. */
  | { readonly type: "as_is" }
  /**
   * With `GET`, without the request fields in `without`, and with those in
   * `conditions`. It must not end because the client went away: others wait.
   */
  | {
    readonly type: "for_cache";
    readonly without: ReadonlySet<string>;
    readonly conditions: HeaderList;
  };

/** Value of `x-svc-cache`. */
export type CacheResult = "HIT" | "MISS" | "STALE" | "BYPASS";

/** What goes to the client. */
export interface CachedResponse extends OriginResponse {
  /** Length of the body; `undefined` where only its end will tell. */
  readonly bytes: number | undefined;
  /** The body as a string, where it is short and ASCII: a server writes that without a copy. */
  readonly text?: string | undefined;
  readonly result: CacheResult;
}

/** How long an answer may be used, and under which terms (RFC 9111, 4.2; RFC 5861). Times in seconds. */
export interface Terms {
  readonly lifetime: number;
  readonly staleWhileRevalidate: number;
  readonly staleIfError: number;
  /** Never served stale, whatever the client allows. */
  readonly mustRevalidate: boolean;
  /** Asked for at the origin before each use. */
  readonly noCache: boolean;
  /** May answer requests with `Authorization` (RFC 9111, 3.5). */
  readonly sharedWithAuthorized: boolean;
}

/** A complete answer in the store. Never changed; a fresher one takes its place. */
export interface StoredResponse {
  readonly status: number;
  /** As they go to clients, without `age`; always with `date`. */
  readonly headers: HeaderList;
  readonly body: Bytes;
  /** The body as a string, where it is short and ASCII. */
  readonly text: string | undefined;
  readonly terms: Terms;
  /** Seconds that it was old when it arrived (RFC 9111, 4.2.3). */
  readonly initialAge: number;
  /** When it arrived or was last validated; milliseconds. */
  readonly responseTime: number;
  /** Request fields that chose it, as `Vary` names them, and their values. */
  readonly vary: readonly VaryField[];
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
}

export interface VaryField {
  readonly name: string;
  /** Normalized; `null` where the request had no such field. */
  readonly value: string | null;
}
