/**
 * The pages of a project.
 *
 * @module
 */
export { bindProjectPages } from "./project_routes.ts";
