/**
 * The documentation, as pages and as text.
 *
 * @module
 */
export { bindDocs } from "./docs_routes.ts";
