/**
 * All tools, in the order in which an agent is shown them.
 *
 * @module
 */
import { describeDatabase, listVariables, queryDatabase } from "../../../agents/tools/data.ts";
import { explainFailure, listProjects, status, traffic } from "../../../agents/tools/look.ts";
import { promote, purgeCache, rollback } from "../../../agents/tools/release.ts";
import { searchLogs } from "../../../agents/tools/logs.ts";
import { showErrors } from "../../../agents/tools/errors.ts";
import type { Tool } from "../../../agents/tool.ts";
import type { FolderSurroundings } from "../tool.ts";
import { explainCode } from "./explain_code.ts";
import { createProject, deploy } from "./release.ts";
import { checkRules, explainRequest, publishRules, testRules } from "./rules.ts";
import { setVariable } from "./set_variable.ts";

export const TOOLS: readonly Tool<FolderSurroundings>[] = [
  status,
  listProjects,
  createProject,
  deploy,
  explainFailure,
  showErrors,
  searchLogs,
  rollback,
  promote,
  checkRules,
  testRules,
  explainRequest,
  publishRules,
  purgeCache,
  listVariables,
  setVariable,
  queryDatabase,
  describeDatabase,
  traffic,
  explainCode,
];
