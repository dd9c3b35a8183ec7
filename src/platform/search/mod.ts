/**
 * Search over what a workspace holds.
 *
 * @module
 */
export { createSearch } from "./create_search.ts";
