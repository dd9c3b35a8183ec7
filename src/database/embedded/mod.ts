/**
 * The embedded engine: PostgreSQL as WebAssembly (PGlite), a process for each
 * branch that is in use.
 *
 * @module
 */
export { type BranchFile, type BranchFiles, withBranchFiles } from "./branch_files.ts";
export { EmbeddedEngine, type EmbeddedEngineOptions } from "./embedded_engine.ts";
export { type FolderFacts, inspectFolder } from "./inspect_folder.ts";
export { databaseProcessCommand, ENGINE_NAMES } from "./process_command.ts";
export { TEMPLATE_FILE, TEMPLATE_URL, VERSION_FILE } from "./template/unpack_template.ts";
