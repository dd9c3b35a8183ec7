/**
 * The tools that need nothing but the API.
 *
 * @module
 */
export { describeDatabase, listVariables, queryDatabase } from "./data.ts";
export { searchLogs } from "./logs.ts";
export { explainFailure, listDeployments, listProjects, status, traffic } from "./look.ts";
export { promote, purgeCache, rollback } from "./release.ts";
