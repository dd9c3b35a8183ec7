/**
 * Managed PostgreSQL databases: records, branches, snapshots, and access for deployments.
 *
 * @module
 */
export { adoptRecords, pendingDumps, shownStorages } from "./backup_records.ts";
export { BranchStore } from "./branch_store.ts";
export { createDatabases, type DatabaseParts, type Databases } from "./create_databases.ts";
export type { DatabaseStore } from "./database_store.ts";
export type { DeploymentDatabases } from "./deployment_databases.ts";
export type { EngineSource } from "./engines.ts";
export { inspectRecords, type RecordFacts } from "./inspect_records.ts";
export type { DatabaseRecord } from "./records.ts";
export { dumpName, DUMPS_FOLDER } from "./restored_dumps.ts";
export { SIZES } from "./sizes.ts";
