/** @module Requests and responses between the edge and what is behind it. */
import type { ComputeSocket } from "../../runtime/mod.ts";
import type { BodyStream, MemoryBody } from "./body.ts";
import type { HeaderList } from "./header_list.ts";

/**
 * The client disconnected before or during the response: a status for the log, not a fault of the
 * site.
 */
export const CLIENT_GONE = 499;

/** Whether a method only reads: `GET` or `HEAD`. */
export function isReading(method: string): method is "GET" | "HEAD" {
  return method === "GET" || method === "HEAD";
}

/** A request on its way to the origin; steps may replace it. */
export interface PipelineRequest {
  readonly method: string;
  /** Absolute, with the host that the client named. */
  readonly url: string;
  readonly headers: HeaderList;
  readonly body: BodyStream | null;
}

/** How long others may keep a stored response, in seconds, and how to remove it. */
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
  /** The request fields that select it. */
  readonly vary: readonly { readonly name: string }[];
}

/** A response from behind the edge: from a server, a function or another site. */
export interface OriginResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: HeaderList;
  /** A stream can be read once; it is used if the body is not completely in memory. */
  readonly body: MemoryBody | BodyStream | null;
  /** Whether no cache of the edge may store it. */
  readonly isCurrent?: boolean | undefined;
  /** The stored response, if this is all of it. */
  readonly kept?: Kept | undefined;
}

/** A response on its way to the client; steps may replace it. */
export interface PipelineResponse extends OriginResponse {
  /** Why this is an error page; for the site's log. */
  readonly problem?: string;
  /** The open WebSocket of a server: no step changes such a response. */
  readonly upgrade?: ComputeSocket;
  /** Whether it is one of the edge's own pages. */
  readonly isEdgePage?: boolean | undefined;
}
