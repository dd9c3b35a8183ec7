/**
 * Limits of workspaces and projects, and what is used of them.
 *
 * @module
 */
export { USAGE } from "./group.ts";
