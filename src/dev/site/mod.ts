/**
 * The project as a site of the edge.
 *
 * @module
 */
export { FrameworkServer } from "./framework_server.ts";
export { type Change, EVERYTHING, ProjectSite, type ProjectSiteOptions } from "./project_site.ts";
