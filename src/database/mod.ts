/**
 * Managed PostgreSQL: engines that run branches of databases, and the gateway
 * through which clients reach them.
 *
 * @module
 */
export {
  type BranchFiles,
  databaseProcessCommand,
  EmbeddedEngine,
  type EmbeddedEngineOptions,
  ENGINE_NAMES,
  type FolderFacts,
  inspectFolder,
  TEMPLATE_FILE,
  TEMPLATE_URL,
  VERSION_FILE,
  withBranchFiles,
} from "./embedded/mod.ts";
export {
  type BranchAccess,
  type BranchDirectory,
  DEFAULT_LIMITS,
  Gateway,
  type GatewayLimits,
  type GatewayOptions,
  type Refusal,
} from "./gateway/mod.ts";
export {
  type Column,
  type QueryErrorEvent,
  runScript,
  type RunScriptOptions,
  runSql,
  type RunSqlOptions,
  runStatement,
  type RunStatementOptions,
  type SqlEvent,
  type StatementResult,
} from "./query/mod.ts";
export {
  formatVerifier,
  makeVerifier,
  parseVerifier,
  SALT_BYTES,
  type ScramVerifier,
} from "./scram/mod.ts";
export {
  type ClusterFacts,
  findPostgres,
  inspectCluster,
  inspectServer,
  type InspectServerOptions,
  LOCAL,
  openServerEngine,
  type OpenServerOptions,
  type PostgresPrograms,
  type ServerFacts,
} from "./server/mod.ts";
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
  type StartupParameters,
} from "./types.ts";
export { type PagesReport, verifyPages } from "./verify_pages.ts";
