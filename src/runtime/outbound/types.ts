/**
 * Outbound requests and their responses.
 *
 * @module
 */
import type { HeaderList } from "../http1/head.ts";
import type { LazySignal } from "../http1/exchange_watch.ts";

export interface OutboundRequest {
  readonly method: string;
  /** Absolute, `http:` or `https:`, without credentials. */
  readonly url: string;
  /**
   * `host` always comes from the URL, and hop-by-hop headers are dropped. A
   * `content-length` is binding: a body of another length breaks the request.
   */
  readonly headers: HeaderList;
  /** Sent in chunks where no `content-length` is given. */
  readonly body: ReadableStream<Uint8Array> | null;
  /** Default: `manual`, where a redirect is a response like any other. */
  readonly redirect?: "follow" | "manual" | "error";
  readonly signal?: LazySignal | undefined;
}

export interface OutboundResponse {
  readonly status: number;
  readonly statusText: string;
  /** In order, names as received; hop-by-hop headers are dropped. */
  readonly headers: HeaderList;
  /** `null` if the response can have none. */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>> | null;
  /** The whole body, where it came with the head; use it instead of `body`. */
  readonly bytes?: Uint8Array<ArrayBuffer> | undefined;
  /** The same, as text where it is ASCII: that costs half as much to send on. */
  readonly whole?: string | Uint8Array<ArrayBuffer> | undefined;
  /** The URL that answered, after redirects. */
  readonly url: string;
  readonly redirected: boolean;
}

/** Performs a request; rejects with `OutboundError`. */
export type OutboundFetch = (request: OutboundRequest) => Promise<OutboundResponse>;
