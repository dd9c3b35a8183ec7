/**
 * The tools that need no folder, in the order in which an agent is shown them.
 *
 * @module
 */
import {
  describeDatabase,
  explainFailure,
  listDeployments,
  listProjects,
  listVariables,
  promote,
  purgeCache,
  queryDatabase,
  rollback,
  searchLogs,
  status,
  type Surroundings,
  type Tool,
  traffic,
} from "../../agents/mod.ts";

export const TOOLS: readonly Tool<Surroundings>[] = [
  status,
  listProjects,
  listDeployments,
  explainFailure,
  searchLogs,
  rollback,
  promote,
  purgeCache,
  listVariables,
  queryDatabase,
  describeDatabase,
  traffic,
];
