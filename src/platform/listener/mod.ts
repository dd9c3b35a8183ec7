/**
 * The platform's front door: accepting connections, and holding them to their
 * bounds.
 *
 * @module
 */
export { completeLimits } from "./connection_limits.ts";
export { descriptorLimit } from "./descriptors.ts";
export { FrontDoor, type FrontDoorOptions, type Source } from "./front_door.ts";
export { ConnectionsUnsupportedError } from "./serve_connection.ts";
export { setAcceptedOptions } from "./socket_options.ts";
export type { ClientConnection, ConnectionHandler, ConnectionLimits } from "./types.ts";
