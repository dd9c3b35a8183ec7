/**
 * All tools, in the order in which an agent is shown them.
 *
 * @module
 */
import type { Tool } from "../tool.ts";
import { describeDatabase, listVariables, queryDatabase, setVariable } from "./data.ts";
import {
  explainCode,
  explainFailure,
  listDeployments,
  listProjects,
  searchLogs,
  status,
  traffic,
} from "./look.ts";
import { createProject, deploy, promote, purgeCache, rollback } from "./release.ts";
import { checkRules, explainRequest, publishRules, testRules } from "./rules.ts";

export const TOOLS: readonly Tool[] = [
  status,
  listProjects,
  createProject,
  deploy,
  listDeployments,
  explainFailure,
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
