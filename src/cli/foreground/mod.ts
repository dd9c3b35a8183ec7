/**
 * Commands that serve on a port until they are stopped.
 *
 * @module
 */
export { DEFAULT_PORT, openOnPort } from "./open_on_port.ts";
export { type Stopped, untilStopped } from "./until_stopped.ts";
