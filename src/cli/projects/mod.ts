/**
 * Projects, and the folders that are linked to them.
 *
 * @module
 */
export { bindFolder } from "./bind_folder.ts";
export { buildBranch } from "./build_branch.ts";
export { INIT, LINK, LIST, PROJECTS } from "./group.ts";
export { offerImport, reportImport } from "./offer_import.ts";
export { openProjectFolder, type ProjectFolder } from "./project_folder.ts";
export {
  findProject,
  openProject,
  type ResolvedProject,
  resolveProject,
} from "./resolve_project.ts";
