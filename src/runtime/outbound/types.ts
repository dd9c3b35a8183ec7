/** @module Outbound requests and their responses. */
import type { HeaderList } from "../http1/head.ts";
import type { LazySignal } from "../http1/exchange_watch.ts";

export interface OutboundRequest {
  readonly method: string;
  /** An absolute `http:` or `https:` URL without credentials. */
  readonly url: string;
  /**
   * `host` always comes from the URL, and hop-by-hop headers are dropped. The request fails if the
   * body's length differs from its `content-length`.
   */
  readonly headers: HeaderList;
  /** The body. It is sent in chunks if there is no `content-length`. */
  readonly body: ReadableStream<Uint8Array> | null;
  /** `manual` by default, which treats a redirect like any other response. */
  readonly redirect?: "follow" | "manual" | "error";
  readonly signal?: LazySignal | undefined;
}

export interface OutboundResponse {
  readonly status: number;
  readonly statusText: string;
  /** The headers in order, with their names as received. Hop-by-hop headers are dropped. */
  readonly headers: HeaderList;
  /** The body; `null` if the response cannot have one. */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>> | null;
  /** The whole body, if it arrived with the headers. Use it instead of `body`. */
  readonly bytes?: Uint8Array<ArrayBuffer> | undefined;
  /** The whole body, as text if it is ASCII: text costs half as much to forward as bytes. */
  readonly whole?: string | Uint8Array<ArrayBuffer> | undefined;
  /** The URL that responded, after redirects. */
  readonly url: string;
  readonly redirected: boolean;
}

/** Sends a request. Rejects with `OutboundError`. */
export type OutboundFetch = (request: OutboundRequest) => Promise<OutboundResponse>;
