/**
 * The project's own dev server as a group of processes.
 *
 * @module
 */
export { withoutColors } from "./announced_address.ts";
export type { ServerAddress } from "./announced_address.ts";
export { DevCommand } from "./dev_command.ts";
export { TextLineStream } from "./text_lines.ts";
