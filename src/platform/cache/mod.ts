/**
 * Purging what the edge keeps of a project's deployments.
 *
 * @module
 */
export { createCache } from "./purge.ts";
