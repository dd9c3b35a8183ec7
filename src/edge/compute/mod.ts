/**
 * Routes that a server of the deployment answers: plain requests, WebSockets, and
 * pages that the ISR cache keeps.
 *
 * @module
 */
export { ComputeFailedError } from "./compute_failure.ts";
export {
  isSocketRequest,
  requestFromPipeline,
  type ServerRequest,
  type Target,
} from "./compute_request.ts";
export {
  answerFromCompute,
  type ComputeUse,
  type Missing,
  type SiteCompute,
} from "./compute_responder.ts";
export { joinSockets } from "./relay_websocket.ts";
