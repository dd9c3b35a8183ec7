/**
 * Rules that are published over a project's deployments, and what is in effect.
 *
 * @module
 */
export { createRules, openRules } from "./create_rules.ts";
