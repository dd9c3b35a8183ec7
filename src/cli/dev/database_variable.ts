/** @module Finds the connection string of the project's database for the dev server. */

import { getDatabaseConnection, MAIN_BRANCH } from "../../contract/databases.ts";
import { listDatabases, openDatabase } from "../db/open_database.ts";
import type { LocalVariables } from "../env/local_variables.ts";
import { actionRequired } from "../errors/cli_error.ts";
import { findProject } from "../projects/resolve_project.ts";
import type { ProjectFolder } from "../projects/project_folder.ts";
import type { Context } from "../session/context.ts";

const NONE: Readonly<Record<string, string>> = {};

/**
 * Returns whether the project has a database whose URL is automatically passed to the project's
 * code.
 */
async function hasInjected(ctx: Context, folder: ProjectFolder, id: string): Promise<boolean> {
  const client = ctx.client({ phase: "db", folder });
  const project = await findProject(client, id);
  if (project === undefined) return false;
  const databases = await listDatabases(client, project);
  return databases.some(({ autoInject }) => autoInject);
}

/**
 * Fetches the URL of the branch that `--db-branch` or `db.branch` in `svc.toml` names, or else of
 * `main`. If neither a database nor a branch is named, uses the database of the project's
 * deployments, or none if the platform is unreachable.
 *
 * @throws {CliError} if a named database or branch is unavailable
 */
export async function readDatabaseVariable(
  ctx: Context,
  folder: ProjectFolder,
  { given, reached }: Pick<LocalVariables, "reached"> & { readonly given: string | undefined },
): Promise<Readonly<Record<string, string>>> {
  const { project, db } = folder.config ?? {};
  if (project?.id === undefined) {
    if (given === undefined) return NONE;
    const next = [ctx.lines.of("link")];
    throw actionRequired("--db-branch needs a linked project: run svc link", next);
  }
  const branch = given ?? db?.branch;
  const isNamed = branch !== undefined || db?.database !== undefined;
  if (given === undefined && !reached) return NONE;
  if (!isNamed && !await hasInjected(ctx, folder, project.id)) return NONE;
  const { client, database, params } = await openDatabase(ctx, {
    database: db?.database,
    projectId: project.id,
  });
  const query = { branch: branch ?? MAIN_BRANCH };
  const { url } = await client.call(getDatabaseConnection, { params, query });
  ctx.ui.log(
    "db",
    "info",
    `${database.envVar} is branch ${query.branch} of database ${database.name}`,
  );
  return { [database.envVar]: url };
}
