/**
 * The tools that need no folder, in the order in which an agent is shown them.
 *
 * @module
 */
import {
  deployFiles,
  describeDatabase,
  explainFailure,
  listProjects,
  listVariables,
  makeProject,
  promote,
  purgeCache,
  queryDatabase,
  rollback,
  searchLogs,
  showErrors,
  status,
  type Surroundings,
  type Tool,
  traffic,
} from "../../agents/mod.ts";

export const TOOLS: readonly Tool<Surroundings>[] = [
  status,
  listProjects,
  makeProject,
  deployFiles,
  explainFailure,
  showErrors,
  searchLogs,
  rollback,
  promote,
  purgeCache,
  listVariables,
  queryDatabase,
  describeDatabase,
  traffic,
];
