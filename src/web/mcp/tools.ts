/**
 * The tools that need no folder, in the order in which an agent is shown them.
 *
 * @module
 */
import { deployFiles, makeProject } from "../../agents/tools/upload.ts";
import { describeDatabase, listVariables, queryDatabase } from "../../agents/tools/data.ts";
import { explainFailure, listProjects, status, traffic } from "../../agents/tools/look.ts";
import { promote, purgeCache, rollback } from "../../agents/tools/release.ts";
import { searchLogs } from "../../agents/tools/logs.ts";
import { showErrors } from "../../agents/tools/errors.ts";
import type { Surroundings, Tool } from "../../agents/tool.ts";

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
