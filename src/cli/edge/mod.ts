/**
 * What the edge holds of a project: cached answers and functions.
 *
 * @module
 */
export { CACHE, FUNCTIONS, PURGE } from "./group.ts";
