/**
 * Binding a folder to a project of the platform, in its `svc.toml`.
 *
 * @module
 */
import {
  editProjectConfig,
  newProjectConfig,
  type ProjectConfigChanges,
  saveProjectConfig,
  saveProjectConfigSchema,
} from "../config/mod.ts";
import type { Project } from "../contract/mod.ts";
import { readTextFile } from "../lib/utf8.ts";
import type { Context } from "./context.ts";
import { type ProjectFolder, showPath } from "./project_folder.ts";

/**
 * Creates or changes the `svc.toml` of a folder, in one step that a crash
 * can not cut in two; comments and order of an existing one stay.
 */
export async function writeProjectFile(
  folder: ProjectFolder,
  changes: ProjectConfigChanges,
): Promise<void> {
  const source = folder.config === undefined
    ? newProjectConfig(changes)
    : editProjectConfig(await readTextFile(folder.configPath), changes);
  await saveProjectConfig(folder.directory, source);
  await saveProjectConfigSchema(folder.directory);
}

/** Writes id, name and workspace of the project into the folder's `svc.toml`. */
export async function bindFolder(
  ctx: Context,
  folder: ProjectFolder,
  project: Project,
): Promise<void> {
  const { id, name, workspace } = project;
  await writeProjectFile(folder, { project: { id, name, workspace } });
  ctx.ui.done("link", `Linked ${showPath(folder.directory, ctx)} to project ${name}`);
}
