/**
 * Requests and answers on their way through the edge: steps of a pipeline,
 * servers and other sites take them and give them.
 *
 * @module
 */
import type { ComputeSocket } from "../../runtime/mod.ts";
import type { HeaderList } from "./header_list.ts";

export type BodyStream = ReadableStream<Uint8Array<ArrayBuffer>>;

/** A request on its way to the origin; steps may replace it. */
export interface PipelineRequest {
  readonly method: string;
  /** Absolute, on the host that the client asked. */
  readonly url: string;
  readonly headers: HeaderList;
  readonly body: BodyStream | null;
}

/** An answer on its way to the client; steps may replace it. */
export interface PipelineResponse {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: Uint8Array<ArrayBuffer> | BodyStream | null;
  /** The same body as a string of ASCII, where cache or site have it so. */
  readonly text?: string | undefined;
  /** Why this stands in for an answer; for the site's log. */
  readonly problem?: string;
  /** The open socket of a server: such an answer goes to the client as it is. */
  readonly upgrade?: ComputeSocket;
}
