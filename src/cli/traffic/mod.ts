/**
 * The traffic of a project.
 *
 * @module
 */
export { TRAFFIC } from "./group.ts";
