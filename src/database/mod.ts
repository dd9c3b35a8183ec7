/**
 * Managed PostgreSQL: engines that run branches of databases, and the gateway
 * through which clients reach them.
 *
 * @module
 */
export { type BranchFiles, withBranchFiles } from "./embedded/branch_files.ts";
export { databaseProcessCommand, ENGINE_NAMES } from "./embedded/process_command.ts";
export { EmbeddedEngine, type EmbeddedEngineOptions } from "./embedded/embedded_engine.ts";
export { removeHistory } from "./embedded/history/embedded_history.ts";
export { type FolderFacts, inspectFolder } from "./embedded/inspect_folder.ts";
export { TEMPLATE_FILE, TEMPLATE_URL, VERSION_FILE } from "./embedded/template/unpack_template.ts";
export {
  type BranchAccess,
  type BranchDirectory,
  DEFAULT_LIMITS,
  type GatewayLimits,
  type Refusal,
} from "./gateway/types.ts";
export { Gateway, type GatewayOptions } from "./gateway/gateway.ts";
export type { Column, QueryErrorEvent, SqlEvent } from "./query/types.ts";
export { runScript, type RunScriptOptions } from "./query/run_script.ts";
export { runSql, type RunSqlOptions } from "./query/run_sql.ts";
export {
  type RunOne,
  runStatement,
  type RunStatementOptions,
  type StatementResult,
  withStatements,
} from "./query/run_statement.ts";
export {
  formatVerifier,
  makeVerifier,
  parseVerifier,
  SALT_BYTES,
  type ScramVerifier,
} from "./scram/verifier.ts";
export { type ClusterFacts, inspectCluster } from "./server/local/inspect_cluster.ts";
export { findPostgres, type PostgresPrograms } from "./server/local/find_postgres.ts";
export {
  inspectServer,
  type InspectServerOptions,
  type ServerFacts,
} from "./server/inspect_server.ts";
export { LOCAL, openServerEngine, type OpenServerOptions } from "./server/open_server.ts";
export {
  type BackendSession,
  type Branch,
  type BranchLimits,
  type CopyMethod,
  type DatabaseEngine,
  type DumpOptions,
  ENGINE_KINDS,
  EngineError,
  type EngineKind,
  type EngineStatus,
  GONE,
  type HistoryFacts,
  type StartupParameters,
} from "./types.ts";
export { type PagesReport, verifyPages } from "./verify_pages.ts";
