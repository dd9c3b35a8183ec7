/**
 * Retention: decides which old deployments are kept, and removes the others.
 *
 * @module
 */
export { createRetention } from "./create_retention.ts";
