/** @module `svc dev`: runs a project in development behind a platform's edge. */
export { detectDevCommand } from "./detect_dev_command.ts";
export { type RunningDev, startDev } from "./dev_server.ts";
export type { DevReport, DevStart, LoggedRequest } from "./options.ts";
