/**
 * @module Turns a project's folder into the content of a deployment: runs the build command, finds
 * the output and its manifest, reads the rules, bundles the functions, and hashes everything. The
 * CLI uses it in the working folder, and the platform in a checkout.
 */
export { BuildError } from "./build_error.ts";
export { runBuildProcess } from "./child/main.ts";
export {
  type BuildEvent,
  buildEvent,
  type BuildJobFile,
  type CheckedEvent,
  type PackedEvent,
} from "./child/wire.ts";
export { readDatabaseSettings } from "./declared_settings.ts";
export { createFolderReader } from "./folder_reader.ts";
export { foretellDeploy } from "./foretell_deploy.ts";
export { PROJECT_CONFIG_FILE } from "../config/project_root.ts";
export { detectFlavor } from "./foreign_flavor.ts";
export { findImportable, type ImportableFile, missingSettings } from "./foreign_files.ts";
export { hashFiles, type PackedFile } from "./hash_files.ts";
export { createLineSink } from "./line_sink.ts";
export { nodeVersion } from "./node_version.ts";
export { assembleProject, type Pack, packProject } from "./pack_project.ts";
export { fetchProjectManager } from "./packages/project_manager.ts";
export {
  findFunctions,
  readFunctions,
  type RunnableFunctions,
} from "./server/project_functions.ts";
export { runCheckCommands } from "./run_check_commands.ts";
export { isLfsPointer, shortList } from "./private_files.ts";
export { readOptionalText, RULES_FILE } from "./read_rules_file.ts";
export { workspaceBuild } from "./workspace/workspace_build.ts";
export type { BuildHost } from "./types.ts";
