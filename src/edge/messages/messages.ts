/** @module Requests and responses between the edge and what is behind it. */
import type { ComputeSocket } from "../../runtime/mod.ts";
import type { BodyStream, MemoryBody } from "./body.ts";
import type { HeaderList } from "./header_list.ts";

/**
 * Status for the log. It means that the client disconnected before or during the response, which is
 * not the site's fault.
 */
export const CLIENT_GONE = 499;

/** Whether a method only reads, which means `GET` or `HEAD`. */
export function isReading(method: string): method is "GET" | "HEAD" {
  return method === "GET" || method === "HEAD";
}

/** A request on its way to the origin. Steps can replace it. */
export interface PipelineRequest {
  readonly method: string;
  /** Absolute URL, with the host as the client sent it. */
  readonly url: string;
  readonly headers: HeaderList;
  readonly body: BodyStream | null;
}

/** The cache terms of a response, for other caches: lifetimes in seconds, and tags for purges. */
export interface Kept {
  readonly terms: {
    readonly lifetime: number;
    readonly staleWhileRevalidate: number;
    readonly staleIfError: number;
    readonly mustRevalidate: boolean;
    readonly noCache: boolean;
    readonly sharedWithAuthorized: boolean;
  };
  readonly tags: readonly string[];
  /** The request headers that select the response. */
  readonly vary: readonly { readonly name: string }[];
}

/** A response from behind the edge: from a server, a function or another site. */
export interface OriginResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: HeaderList;
  /** A stream if the body is not completely in memory. It can be read only once. */
  readonly body: MemoryBody | BodyStream | null;
  /** Whether the edge's caches must not store the response. */
  readonly isCurrent?: boolean | undefined;
  /** The stored response, if this response contains all of it. */
  readonly kept?: Kept | undefined;
}

/** A response on its way to the client. Steps can replace it. */
export interface PipelineResponse extends OriginResponse {
  /** The reason for an error page, for the site's log. */
  readonly problem?: string;
  /** A server's open WebSocket. No step changes a response that has one. */
  readonly upgrade?: ComputeSocket;
  /** Whether the response is one of the edge's own pages. */
  readonly isEdgePage?: boolean | undefined;
}
