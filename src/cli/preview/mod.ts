/**
 * Serving the built output of a project before it is deployed.
 *
 * @module
 */
export { PREVIEW } from "./group.ts";
