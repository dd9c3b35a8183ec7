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
  type RoutedRequest,
  type ServerRequest,
} from "./compute_request.ts";
export {
  type ComputeUse,
  type Missing,
  respondFromCompute,
  type SiteCompute,
  storedPageKey,
} from "./compute_responder.ts";
export { type DirectServer, type DirectServers, respondDirectly } from "./respond_directly.ts";
export { relayWebSocket } from "./relay_websocket.ts";
