/**
 * @module The build output manifest `.svc/manifest.json`: the deployed files, and which layer
 * serves which URL. This module contains the manifest's schema and validation, the route table, and
 * a function that lists the output's files. It also contains the detection that `init`, `build` and
 * `deploy` need for a project without a manifest.
 *
 * Pure except for `walkOutput()`, which lists the files in a folder.
 */
export { formSchema, type FormSettings } from "./forms.ts";
export { joinQueues, queueSchema, type QueueSettings, queueSettings } from "./queues.ts";
export { type CronTask, cronTaskSchema, joinCronTasks, MAX_CRON_TASKS } from "./cron_tasks.ts";
export {
  describeProgram,
  describeProject,
  planProject,
  type ProjectPlan,
} from "./detect/describe_project.ts";
export { detectProject } from "./detect/detect_project.ts";
export { runScript } from "./detect/manager_calls.ts";
export { parsePackageFacts } from "./detect/package_facts.ts";
export { isModernYarn, usualVersion } from "./detect/package_manager.ts";
export type { DetectedProject, FoundManager, ManagerHash, PackageManager } from "./detect/types.ts";
export { isMember, memberBases, workspacePatterns } from "./detect/workspace_patterns.ts";
export { findOutput, type OutputProbe } from "./find_output.ts";
export { formatManifestProblems } from "./format_problems.ts";
export { OWN_COMMAND } from "./languages/dockerfile.ts";
export {
  findFramework,
  FRAMEWORKS,
  HASHED_FOLDERS,
  VERSION_FILES,
} from "./frameworks/frameworks.ts";
export type { ProvidedFunctions } from "./frameworks/functions_types.ts";
export {
  findProjectFunctions,
  functionsLaunch,
  functionSources,
  isFunctionProject,
} from "./frameworks/functions_server.ts";
export { denoSign } from "./frameworks/server_code.ts";
export type {
  BuiltOutput,
  Found,
  FoundServer,
  HashedFolder,
  Launch,
  Placement,
  ProjectReader,
} from "./frameworks/types.ts";
export { findBuilt, generateManifest, refuseFunctions } from "./generate/generate_manifest.ts";
export { generateStaticManifest } from "./generate/static_manifest.ts";
export {
  DEFAULT_IMAGE_QUALITIES,
  DEFAULT_IMAGE_SIZES,
  type ImageSettings,
  type ImageStyle,
  mergeImageSettings,
} from "./image_settings.ts";
export type { BlobSettings } from "./blob_settings.ts";
export { databaseSchema, type DatabaseSettings } from "./database_settings.ts";
export type { FunctionSettings } from "./schema.ts";
export { isPage } from "./generate/server_signs.ts";
export { judgeSigns } from "./signs/judge_signs.ts";
export { findProjectSigns, sourcesOf } from "./signs/project_signs.ts";
export { refuseSigns } from "./signs/refuse_signs.ts";
export {
  DEFAULT_KEEP_ASSETS_SECONDS,
  DEFAULT_SKEW_SECONDS,
  LINKS_PATH,
  MANIFEST_PATH,
} from "./limits.ts";
export { OutputFileSet, outputFilesOf } from "./output_files.ts";
export { describeJsonFault, parseManifestJson } from "./parse_manifest_json.ts";
export { parseRelativePath } from "./relative_path.ts";
export { type CompiledRoute, createRouteTable, type RouteTable } from "./route_table.ts";
export { type Engine, type RuntimeSettings, runtimeSettings } from "./runtime_settings.ts";
export type {
  ComputeLayer,
  Layer,
  Manifest,
  ManifestProblem,
  Route,
  StaticLayer,
} from "./types.ts";
export { validateManifest } from "./validate_manifest.ts";
export {
  type IgnoredEntries,
  type OutputFile,
  type PackagesFolder,
  walkOutput,
  type WalkResult,
} from "./walk_output.ts";
