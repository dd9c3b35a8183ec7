/**
 * The errors of a project's functions and servers.
 *
 * @module
 */
export { ERRORS } from "./group.ts";
