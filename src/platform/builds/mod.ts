/** Git builds: their queue, worker, sandboxed runner and logs. @module */
export { BuildQueue } from "./queue/build_queue.ts";
export { type BuildRecord, buildToWire } from "./queue/build_record.ts";
export { type BuildSettings, hiddenPlaces } from "./build_settings.ts";
export { BuildStore, NotAdmittedError } from "./queue/build_store.ts";
export { buildLogBlobs } from "./logs/build_log_archive.ts";
export { createBuilds } from "./create_builds.ts";
export type { DeployCommit } from "./deploy_commit.ts";
export { followBuildLog } from "./logs/follow_build_log.ts";
export type { SharedBuildLogs } from "./logs/shared_build_logs.ts";
export { type OpenBuilds, openBuilds } from "./open_builds.ts";
export { probeBuildSandbox, SandboxUndecidedError } from "./sandbox/find_sandbox.ts";
export { removeBuildFolder } from "./runner/build_folder.ts";
export { hasOwnRoot, hasOwnUser, type SandboxKind, startSandbox } from "./sandbox/sandbox.ts";
export type { OpenSandbox, SandboxAccess } from "./sandbox/sandbox_access.ts";
export { watchProcesses } from "./sandbox/watch_processes.ts";
export type { BuildJob, BuildOutcome, BuildRunner } from "./types.ts";
