/**
 * Deploy hooks, and the builds from git that they start.
 *
 * @module
 */
export { BUILDS, HOOKS } from "./group.ts";
export { listHooks } from "./project_hooks.ts";
