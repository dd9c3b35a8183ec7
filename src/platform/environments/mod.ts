/** Projects' environments. @module */
export { createEnvironments } from "./create_environments.ts";
export { environmentLabel, isOwnEnvironment, latestLabel, ownLabel } from "./environment.ts";
export {
  deletedEnvironments,
  EnvironmentStore,
  findEnvironmentName,
  finishEnvironmentDeletion,
} from "./environment_store.ts";
