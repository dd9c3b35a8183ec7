/**
 * The platform's front door: accepting connections, and holding them to their
 * bounds.
 *
 * @module
 */
export { setAcceptedOptions } from "./accepted_options.ts";
export { completeLimits } from "./connection_limits.ts";
export { FrontDoor, type FrontDoorOptions, type Source } from "./front_door.ts";
export { ConnectionsUnsupportedError } from "./serve_connection.ts";
export type { ClientConnection, ConnectionHandler, ConnectionLimits } from "./types.ts";
export { endsSocketsWithServer } from "./whole_listener.ts";
