/**
 * The reference of the API as pages.
 *
 * @module
 */
export { bindReferencePages } from "./reference_routes.ts";
