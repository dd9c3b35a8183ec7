/**
 * The variables of a project as the `env` commands and `deploy` look at them.
 *
 * @module
 */
import { type Client, collectPages } from "../../client/mod.ts";
import { endpoints, PAGE_LIMIT_MAX, type Project, type Variable } from "../../contract/mod.ts";
import type { Context } from "../context.ts";
import { openProjectFolder, type ProjectFolder } from "../project_folder.ts";
import { definedOnly } from "../project_settings.ts";
import { type ResolvedProject, resolveProject } from "../resolve_project.ts";

/** Most variables that are listed, each scope counted. */
const MAX_LISTED = 10_000;

export interface ProjectOfVariables extends ResolvedProject {
  readonly folder: ProjectFolder;
}

/** The folder and project that an `env`, `environments` or `context` command is about. */
export async function projectOfVariables(
  ctx: Context,
  given: string | undefined,
): Promise<ProjectOfVariables> {
  const folder = await openProjectFolder(ctx);
  return { folder, ...await resolveProject(ctx, { folder, given, phase: "env" }) };
}

/** The variables of a project in every scope, or those that one environment sees. */
export async function listVariables(
  client: Client,
  project: Project,
  environment?: string,
): Promise<Variable[]> {
  const { items } = await collectPages(
    (page) =>
      client.call(endpoints.listVariables, {
        params: { project: project.id },
        query: { ...page, ...definedOnly({ environment }) },
      }),
    { limit: MAX_LISTED, pageSize: PAGE_LIMIT_MAX },
  );
  return items;
}
