/**
 * The platform, `svc serve`: workspaces, projects, deployments and their logs
 * over an embedded store, with the edge in front.
 *
 * @module
 */
export { type OpenBuilds, openBuilds } from "./builds/open_builds.ts";
export type { BuildJob, BuildOutcome, BuildRunner } from "./builds/types.ts";
export type { PlatformLog, PlatformOptions, RunningPlatform } from "./options.ts";
export { rekeyDataDir } from "./rekey.ts";
export { KeyFileError } from "./secrets/key_ring.ts";
export { ConnectionsUnsupportedError } from "./listener/mod.ts";
export { ListenError } from "./listeners.ts";
export { DEFAULT_RETENTION } from "./retention/plan_retention.ts";
export { startPlatform } from "./server.ts";
export { DataIncompleteError } from "./store/check_whole.ts";
export { StoreUnusableError } from "./store/open_kv.ts";
export { DataDirInUseError, DataDirUnusableError } from "./store/data_dir.ts";
export { CertificateFileError } from "./tls/static_certificate.ts";
export { defaultProcessLimits } from "./compute/process_limits.ts";
export { WallsUndecidedError } from "./builds/runner/find_sandbox.ts";
export { probeBuildWalls } from "./builds/runner/probe_walls.ts";
export { type SandboxKind as BuildWalls } from "./builds/runner/sandbox.ts";
