/**
 * `svc dev`: a project that is being worked on, behind the edge of a platform.
 *
 * @module
 */
export type { Assumed } from "./assumed_client.ts";
export { detectDevCommand } from "./detect_dev_command.ts";
export { type RunningDev, startDev } from "./dev_server.ts";
export type { DevLevel, DevOptions, DevReport, Inspect, LoggedRequest } from "./options.ts";
