/** Projects' environments. @module */
export { createEnvironments } from "./create_environments.ts";
export { environmentLabel, latestLabel, ownLabel } from "./environment.ts";
export { EnvironmentStore, findEnvironmentName } from "./environment_store.ts";
