/**
 * The platform, `svc serve`: workspaces, projects, deployments and their logs
 * over an embedded store, with the edge in front.
 *
 * @module
 */
export { type OpenBuilds, openBuilds } from "../platform/builds/open_builds.ts";
export type { BuildJob, BuildOutcome, BuildRunner } from "../platform/builds/types.ts";
export type { PlatformLog } from "../platform/core/log.ts";
export type { PlatformOptions, RunningPlatform } from "./options.ts";
export { rekeyDataDir } from "./rekey.ts";
export { KeyFileError } from "../platform/core/secrets/key_ring.ts";
export { ConnectionsUnsupportedError } from "../platform/core/listener/mod.ts";
export { ListenError } from "./listeners.ts";
export { DEFAULT_RETENTION } from "../platform/retention/plan_retention.ts";
export { startPlatform } from "./server.ts";
export { DataIncompleteError } from "../platform/core/store/check_whole.ts";
export { StoreUnusableError } from "../platform/core/store/open_kv.ts";
export { DataDirInUseError, DataDirUnusableError } from "../platform/core/store/data_dir.ts";
export { CertificateFileError } from "../platform/certificates/static_certificate.ts";
export { defaultProcessLimits } from "../platform/compute/process_limits.ts";
export { WallsUndecidedError } from "../platform/builds/runner/find_sandbox.ts";
export { probeBuildWalls } from "../platform/builds/runner/probe_walls.ts";
export { type SandboxKind as BuildWalls } from "../platform/builds/runner/sandbox.ts";
