/**
 * The page that searches a workspace.
 *
 * @module
 */
export { bindSearch } from "./search_routes.ts";
