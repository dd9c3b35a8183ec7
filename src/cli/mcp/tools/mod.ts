/**
 * All tools, in the order in which an agent is shown them.
 *
 * @module
 */
import {
  describeDatabase,
  explainFailure,
  listProjects,
  listVariables,
  promote,
  purgeCache,
  queryDatabase,
  rollback,
  searchLogs,
  showErrors,
  status,
  type Tool,
  traffic,
} from "../../../agents/mod.ts";
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
