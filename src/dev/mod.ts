/**
 * `svc dev`: a project that is being worked on, behind the edge of a platform.
 *
 * @module
 */
export { detectDevCommand } from "./detect_dev_command.ts";
export { type RunningDev, startDev } from "./dev_server.ts";
export type { DevReport, DevStart, LoggedRequest } from "./options.ts";
