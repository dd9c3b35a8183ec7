/**
 * Environment variables: setting them, and running programs with them.
 *
 * @module
 */
export { fetchVariables } from "./fetch_variables.ts";
export { ENV } from "./group.ts";
export { type LocalVariables, readLocalVariables } from "./local_variables.ts";
export { findMissing, missingVariables } from "./missing_variables.ts";
export { listVariables } from "./project_variables.ts";
