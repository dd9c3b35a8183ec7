/** Projects' sealed environment variables, and their snapshots for deployments. @module */
export { createVariables, type VariableParts } from "./create_variables.ts";
export { maskerFor } from "./mask_values.ts";
export { databasesIn } from "./references.ts";
export { fillSnapshot, ReferenceResolver } from "./resolver.ts";
export {
  ReferencesError,
  resealVariables,
  VariableService,
  type VariableSnapshot,
} from "./variable_service.ts";
export { VariableStore, versionFor } from "./variable_store.ts";
