/**
 * Builds from git: the queue, the worker that moves a deployment through its
 * states, the sandboxed runner, and the logs.
 *
 * @module
 */
export { BuildQueue } from "./build_queue.ts";
export type { BuildRecord } from "./build_record.ts";
export { type BuildSettings, hiddenPlaces } from "./build_settings.ts";
export { BuildStore, NotAdmittedError } from "./build_store.ts";
export { type Builds, createBuilds } from "./create_builds.ts";
export { BuildLogs } from "./logs/build_logs.ts";
export { type OpenBuilds, openBuilds } from "./open_builds.ts";
export { WallsUndecidedError } from "./runner/find_sandbox.ts";
export { probeBuildWalls } from "./runner/probe_walls.ts";
export type { SandboxKind } from "./runner/sandbox.ts";
export type { BuildJob, BuildOutcome, BuildRunner } from "./types.ts";
