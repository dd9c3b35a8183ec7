/**
 * Environments, and the one that a checkout works with.
 *
 * @module
 */
export {
  chooseEnvironment,
  environmentRequired,
  environmentVariable,
  listEnvironments,
  pickEnvironment,
  readContext,
  requireEnvironment,
} from "./choose_environment.ts";
export { CONTEXT, ENVIRONMENTS } from "./group.ts";
