/**
 * What workspaces and projects use of what they may have.
 *
 * @module
 */
export { createUsage } from "./create_usage.ts";
