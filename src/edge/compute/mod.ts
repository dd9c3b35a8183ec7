/**
 * Routes that a server of the deployment answers: plain requests, WebSockets, and
 * pages that the ISR cache keeps.
 *
 * @module
 */
export { ComputeFailedError } from "./compute_failure.ts";
export {
  hopHeaders,
  isSocketRequest,
  requestFromPipeline,
  type RequestTarget,
  type ServerRequest,
} from "./compute_request.ts";
export {
  type ComputeUse,
  type Missing,
  respondFromCompute,
  type SiteCompute,
} from "./compute_responder.ts";
export { relayWebSocket } from "./relay_websocket.ts";
