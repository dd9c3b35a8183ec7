/**
 * What the edge asks of the servers of a deployment; made by the platform.
 *
 * @module
 */
import type { ComputeRequest, ComputeResult, ComputeSocketResult } from "../../runtime/mod.ts";
import type { KeptPages } from "../isr/isr_cache.ts";

/** The COMPUTE layers of one deployment, by name. */
export interface SiteCompute {
  /** Asks the server of a layer; starts it where it is not running, and never rejects. */
  fetch(layer: string, request: ComputeRequest): Promise<ComputeResult>;
  /** Opens a WebSocket to the server of a layer; never rejects. */
  connect(layer: string, request: Omit<ComputeRequest, "body">): Promise<ComputeSocketResult>;
  /** Answers that routes with `revalidate` have kept. */
  readonly pages: KeptPages;
}
