/**
 * Environment variables of projects, sealed, and the snapshot that each
 * deployment is created with.
 *
 * @module
 */
export { createVariables } from "./create_variables.ts";
export { VariableService } from "./variable_service.ts";
export { VariableStore, versionFor } from "./variable_store.ts";
