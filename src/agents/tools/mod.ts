/**
 * The tools that need nothing but the API.
 *
 * @module
 */
export { describeDatabase, listVariables, queryDatabase } from "./data.ts";
export { showErrors } from "./errors.ts";
export { searchLogs } from "./logs.ts";
export { explainFailure, listProjects, status, traffic } from "./look.ts";
export { promote, purgeCache, rollback } from "./release.ts";
export { deployFiles, makeProject } from "./upload.ts";
