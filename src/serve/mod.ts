/** The platform, `svc serve`: an API on an embedded store, with the edge in front of it. @module */
export { type OpenBuilds, openBuilds } from "../platform/builds/mod.ts";
export type { BuildJob, BuildOutcome, BuildRunner } from "../platform/builds/mod.ts";
export type { PlatformLog } from "../platform/core/log.ts";
export type { PlatformOptions, RunningPlatform } from "./options.ts";
export { BackupError } from "./backup/backup_layout.ts";
export { backUpToPlace } from "./backup/back_up_to_place.ts";
export { runBackupProcess } from "./backup/process_main.ts";
export { listPlace, restoreFromPlace } from "./backup/restore_from_place.ts";
export { makeKeyPair } from "./backup/repository/sealing.ts";
export { makeBackup } from "./backup/make_backup.ts";
export { restoreBackup } from "./backup/restore_backup.ts";
export { summarizeDamage } from "./backup/damage_list.ts";
export { type Verified, verifyData } from "./backup/verify_data.ts";
export { UnavailableError } from "../lib/unavailable_error.ts";
export { migrateStore } from "./migration/migrate_store.ts";
export { MigrationError, StoreInUseError } from "./migration/migration_error.ts";
export type { MigrationReport } from "./migration/migration_options.ts";
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
export { DnsListenError } from "../platform/dns/mod.ts";
export { ListenError } from "./listeners.ts";
export { HandoverError } from "./handover/messages.ts";
export { Takeover } from "./handover/take_over.ts";
export { type RunningFrontEdge, startFrontEdge } from "./front_edge/front_edge.ts";
export { runLocalEdge } from "./local_edges/process_main.ts";
export { EdgeKeyError } from "./front_edge/platform_client.ts";
export { startPlatform } from "./server.ts";
export { UnhandledErrors } from "./operations/unhandled_errors.ts";
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
