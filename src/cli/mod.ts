/**
 * The command-line tool.
 *
 * @module
 */
export { main } from "./entry.ts";
