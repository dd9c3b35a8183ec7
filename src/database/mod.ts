/**
 * Managed PostgreSQL: engines that run branches of databases, and the gateway
 * through which clients reach them.
 *
 * @module
 */
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
  type StartupParameters,
} from "./types.ts";
