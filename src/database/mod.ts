/**
 * @module Managed PostgreSQL: engines that run branches of databases, and the gateway through which
 * clients reach them.
 */
export { withBranchFiles } from "./embedded/branch_files.ts";
export { databaseProcessCommand, ENGINE_NAMES } from "./embedded/process_command.ts";
export { EmbeddedEngine } from "./embedded/embedded_engine.ts";
export { removeHistory } from "./embedded/history/embedded_history.ts";
export { type FolderFacts, inspectFolder } from "./embedded/inspect_folder.ts";
export { TEMPLATE_FILE, TEMPLATE_URL, VERSION_FILE } from "./embedded/template/unpack_template.ts";
export type { BranchAccess, BranchDirectory } from "./gateway/types.ts";
export { Gateway, type GatewayOptions } from "./gateway/gateway.ts";
export type { QueryErrorEvent, SqlEvent } from "./query/types.ts";
export { refuseReadOnly } from "./query/refuse_read_only.ts";
export { runScript } from "./query/run_script.ts";
export { runSql } from "./query/run_sql.ts";
export {
  type RunOne,
  runStatement,
  type StatementResult,
  withStatements,
} from "./query/run_statement.ts";
export { formatVerifier, makeVerifier, parseVerifier, SALT_BYTES } from "./scram/verifier.ts";
export { type ClusterFacts, inspectCluster } from "./server/local/inspect_cluster.ts";
export { findPostgres } from "./server/local/find_postgres.ts";
export { inspectServer, type ServerFacts } from "./server/inspect_server.ts";
export { LOCAL, openServerEngine } from "./server/open_server.ts";
export {
  type BackendSession,
  type Branch,
  type BranchLimits,
  type CopyMethod,
  type DatabaseEngine,
  EngineError,
  type EngineKind,
  type EngineStatus,
  GONE,
} from "./types.ts";
export { verifyPages } from "./verify_pages.ts";
