/**
 * Requests and answers on their way through the edge: steps of a pipeline,
 * servers and other sites take them and give them.
 *
 * @module
 */
import type { ComputeSocket } from "../../runtime/mod.ts";
import type { BodyStream, Bytes } from "./body.ts";
import type { HeaderList } from "./header_list.ts";

/** True for the methods that read. */
export function isReading(method: string): method is "GET" | "HEAD" {
  return method === "GET" || method === "HEAD";
}

/** A request on its way to the origin; steps may replace it. */
export interface PipelineRequest {
  readonly method: string;
  /** Absolute, on the host that the client asked. */
  readonly url: string;
  readonly headers: HeaderList;
  readonly body: BodyStream | null;
}

/** A response from behind the edge: of a server, a function or another site. */
export interface OriginResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: HeaderList;
  /** Bytes where all of it is there; a stream is read once. */
  readonly body: Bytes | BodyStream | null;
}

/** An answer on its way to the client; steps may replace it. */
export interface PipelineResponse extends OriginResponse {
  /** The same body as a string of ASCII, where cache or site have it so. */
  readonly text?: string | undefined;
  /** Why this stands in for an answer; for the site's log. */
  readonly problem?: string;
  /** The open socket of a server: such an answer goes to the client as it is. */
  readonly upgrade?: ComputeSocket;
}
