/**
 * One platform takes over from another without a dropped request
 * (docs/decisions/graceful-restart.md).
 *
 * @module
 */
export { type HandoverFolder, makeHandoverFolder } from "./handover_folder.ts";
export { HandoverError } from "./messages.ts";
export { type Leaving, offerHandover } from "./offer_handover.ts";
export { RunningRequests } from "./running_requests.ts";
export { Takeover } from "./take_over.ts";
export { takeRequests } from "./take_requests.ts";
