import { join } from "node:path";
import {
  editProjectConfig,
  newProjectConfig,
  type ProjectConfigChanges,
  saveProjectConfig,
  saveProjectConfigSchema,
  SCHEMA_PATH,
} from "../../config/edit_project_config.ts";
import type { Project } from "../../contract/projects.ts";
import { assertWritable, showPath } from "../session/paths.ts";
import type { Context } from "../session/context.ts";
import { readTextFile } from "../../lib/utf8.ts";
import type { ProjectFolder } from "./project_folder.ts";

/** Throws if `svc.toml` and its schema cannot be written to the project's folder. */
export async function assertCanBind(ctx: Context, folder: ProjectFolder): Promise<void> {
  const hint = "Make the folder writable, or use another one";
  const path = folder.config === undefined
    ? folder.configPath
    : await Deno.realPath(folder.configPath);
  await assertWritable(ctx, path, hint);
  await assertWritable(ctx, join(folder.directory, SCHEMA_PATH), hint);
}

/**
 * Creates or changes the `svc.toml` of a folder atomically. After a crash, the file is either
 * unchanged or complete. Comments and order are preserved.
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

/** Links a folder to a project by writing its ID, name and workspace to `svc.toml`. */
export async function bindFolder(
  ctx: Context,
  folder: ProjectFolder,
  project: Project,
): Promise<void> {
  const { id, name, workspace } = project;
  await writeProjectFile(folder, { project: { id, name, workspace } });
  ctx.ui.done("link", `Linked ${showPath(folder.directory, ctx)} to project ${name}`);
}
