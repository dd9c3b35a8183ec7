/**
 * Working on a project.
 *
 * @module
 */
export { DEV } from "./group.ts";
