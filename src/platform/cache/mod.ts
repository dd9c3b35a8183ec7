/**
 * Purging of what the edge caches for a project's deployments.
 *
 * @module
 */
export { createCache } from "./purge.ts";
