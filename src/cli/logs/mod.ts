/**
 * Access logs and build logs.
 *
 * @module
 */
export { LOGS } from "./group.ts";
