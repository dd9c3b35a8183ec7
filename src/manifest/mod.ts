/**
 * The build output manifest `.svc/manifest.json`: the deployed files, and which layer serves which
 * URL. Its schema and validation, the route table, the walk of an output directory, and what
 * `init`, `build` and `deploy` need to know about a project that has no manifest yet.
 *
 * Pure except for `walkOutput()`, which lists the files of a folder.
 *
 * @module
 */
export {
  FORM_NAME,
  formSchema,
  type FormSettings,
  MAX_FIELD_NAME,
  MAX_FORM_FIELDS,
  MAX_FORMS,
} from "./forms.ts";
export {
  type DeclaredQueue,
  joinQueues,
  MAX_QUEUES,
  queueSchema,
  type QueueSettings,
  queueSettings,
} from "./queues.ts";
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
export type {
  DetectedFramework,
  DetectedProject,
  FoundManager,
  ManagerHash,
  PackageManager,
} from "./detect/types.ts";
export { isMember, memberBases, workspacePatterns } from "./detect/workspace_patterns.ts";
export {
  findOutput,
  type FindOutputResult,
  type OutputCandidates,
  type OutputProbe,
} from "./find_output.ts";
export { formatManifestProblems, MANIFEST_REFERENCE } from "./format_problems.ts";
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
  Advice,
  BuiltOutput,
  Found,
  FoundServer,
  FrameworkServer,
  HashedFolder,
  Launch,
  Placement,
  ProjectReader,
} from "./frameworks/types.ts";
export {
  findBuilt,
  type GeneratedFrom,
  generateManifest,
  refuseFunctions,
} from "./generate/generate_manifest.ts";
export { type GenerateOptions, generateStaticManifest } from "./generate/static_manifest.ts";
export {
  DEFAULT_IMAGE_QUALITIES,
  DEFAULT_IMAGE_SIZES,
  type ImageSettings,
  type ImageStyle,
  mergeImageSettings,
} from "./image_settings.ts";
export { imageSettingsOfNext, type NextImageSettings } from "./next_image_settings.ts";
export type { BlobSettings } from "./blob_settings.ts";
export { databaseSchema, type DatabaseSettings } from "./database_settings.ts";
export { type FunctionSettings, manifestJsonSchema } from "./schema.ts";
export { isPage } from "./generate/server_signs.ts";
export { judgeSigns } from "./signs/judge_signs.ts";
export { findProjectSigns, sourcesOf } from "./signs/project_signs.ts";
export { refuseSigns } from "./signs/refuse_signs.ts";
export {
  DEFAULT_KEEP_ASSETS_SECONDS,
  DEFAULT_SKEW_SECONDS,
  LINKS_PATH,
  MANIFEST_PATH,
  MAX_MANIFEST_BYTES,
} from "./limits.ts";
export { OutputFileSet, outputFilesOf } from "./output_files.ts";
export {
  describeJsonFault,
  type ManifestJsonResult,
  parseManifestJson,
} from "./parse_manifest_json.ts";
export { parseRelativePath, type RelativePathResult } from "./relative_path.ts";
export { type CompiledRoute, createRouteTable, type RouteTable } from "./route_table.ts";
export { type Engine, type RuntimeSettings, runtimeSettings } from "./runtime_settings.ts";
export type {
  ComputeLayer,
  Layer,
  Manifest,
  ManifestProblem,
  ManifestResult,
  Method,
  OutputFiles,
  Route,
  StaticLayer,
} from "./types.ts";
export { validateManifest } from "./validate_manifest.ts";
export {
  type IgnoredEntries,
  type OutputFile,
  type PackagesFolder,
  type WalkOptions,
  walkOutput,
  type WalkResult,
} from "./walk_output.ts";
