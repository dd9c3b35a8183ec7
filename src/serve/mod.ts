/**
 * The platform, `svc serve`: workspaces, projects, deployments and their logs
 * over an embedded store, with the edge in front.
 *
 * @module
 */
export { type OpenBuilds, openBuilds } from "../platform/builds/mod.ts";
export type { BuildJob, BuildOutcome, BuildRunner } from "../platform/builds/mod.ts";
export type { PlatformLog } from "../platform/core/log.ts";
export type { PlatformOptions, RunningPlatform } from "./options.ts";
export {
  BackupError,
  makeBackup,
  restoreBackup,
  summariseDamage,
  type Verified,
  verifyData,
} from "./backup/mod.ts";
export { UnavailableError } from "../lib/unavailable_error.ts";
export {
  migrateStore,
  MigrationError,
  type MigrationReport,
  StoreInUseError,
} from "./migration/mod.ts";
export { type DatabaseFacts, inspectDatabases } from "./inspect_databases.ts";
export { inspectPlatformStore, probeObjectStorage } from "./inspect_storages.ts";
export { isStoreUrl, type StoreFacts } from "../store/mod.ts";
export { rekeyDataDir } from "./rekey.ts";
export { DataNewerError } from "./settle_format.ts";
export { bringUpToDate } from "./bring_up_to_date.ts";
export { DataNotMigratedError, type DataPlaces, type Migration } from "./migrate_format.ts";
export { NodeFileError, NodeIdInUseError } from "../platform/core/nodes/mod.ts";
export { KeyFileError } from "../platform/core/secrets/mod.ts";
export { ConnectionsUnsupportedError } from "../platform/core/listener/mod.ts";
export { ListenError } from "./listeners.ts";
export { DEFAULT_RETENTION } from "../platform/retention/mod.ts";
export { HandoverError, Takeover } from "./handover/mod.ts";
export { startPlatform } from "./server.ts";
export { UnhandledErrors } from "./operations/mod.ts";
export { DataIncompleteError, isServed } from "../platform/core/store/mod.ts";
export { StoreUnusableError } from "../platform/core/store/mod.ts";
export { DataDirInUseError, DataDirUnusableError } from "../platform/core/store/mod.ts";
export { CertificateFileError } from "../platform/certificates/mod.ts";
export { defaultProcessLimits } from "../platform/compute/mod.ts";
export {
  probeBuildSandbox,
  type SandboxKind as BuildSandbox,
  SandboxUndecidedError,
} from "../platform/builds/mod.ts";
