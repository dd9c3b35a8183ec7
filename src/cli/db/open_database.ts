/** @module Finds the database that a command works on. */
import type { Command } from "@commander-js/extra-typings";
import { ApiError } from "../../client/errors.ts";
import type { Client } from "../../client/client.ts";
import { collectPages } from "../../client/collect_pages.ts";
import {
  type Database,
  getDatabase,
  listDatabases as listDatabasesEndpoint,
  MAIN_BRANCH,
} from "../../contract/databases.ts";
import { type DatabaseBranch, listDatabaseBranches } from "../../contract/database_branches.ts";
import { PAGE_LIMIT_MAX } from "../../contract/common.ts";
import type { Project } from "../../contract/projects.ts";
import { actionRequired, CliError } from "../errors/cli_error.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import type { Context } from "../session/context.ts";
import { printable } from "../terminal/format.ts";
import { nearest } from "../../lib/suggest.ts";

/** Maximum number of databases to list. */
const MAX_LISTED = 1000;

/** Describes `[database]` in the help of every command. */
export const DATABASE_ARGUMENT =
  "ID or name (default: db.database, or the first auto-injected one)";
/** `--database`, for commands with a different argument. */
export const DATABASE_OPTION = ["--database <id>", DATABASE_ARGUMENT] as const;

/** Declares the options of a command that works on one branch of a database. */
export function takeDatabaseBranch(command: Command) {
  return command
    .argument("[database]", DATABASE_ARGUMENT)
    .option("--branch <name>", "branch of the database", MAIN_BRANCH)
    .option(...PROJECT_OPTION);
}

/**
 * Lists the databases of a project, oldest first. With `deleted`, lists the deleted databases that
 * can be restored.
 */
export async function listDatabases(
  client: Client,
  project: Project,
  options: { readonly deleted?: boolean } = {},
): Promise<Database[]> {
  const deleted = options.deleted === true ? "true" : "false";
  const { items } = await collectPages(
    (page) =>
      client.call(listDatabasesEndpoint, {
        params: { project: project.id },
        query: { ...page, deleted },
      }),
    { limit: MAX_LISTED, pageSize: PAGE_LIMIT_MAX },
  );
  return items;
}

/** Lists all branches of a database, `main` first. */
export async function listBranches(
  client: Client,
  { projectId, id }: Pick<Database, "projectId" | "id">,
): Promise<readonly DatabaseBranch[]> {
  const { items } = await client.call(listDatabaseBranches, {
    params: { project: projectId, database: id },
  });
  return items;
}

export interface OpenedDatabase {
  readonly client: Client;
  readonly project: Project;
  readonly database: Database;
  /** Path parameters of the database's endpoints. */
  readonly params: { readonly project: string; readonly database: string };
}

const namesOf = (databases: readonly Database[]): string =>
  databases.map(({ name }) => name).join(", ");

function noDatabase(ctx: Context, project: Project): CliError {
  return new CliError("not_found", `Project ${project.name} has no database`, {
    hint: `Create one: ${ctx.lines.ofProject("db", "create", "--wait")}`,
  });
}

interface Search {
  readonly client: Client;
  readonly project: Project;
  readonly reference: string;
  /** Suffix for messages that says where the reference was set. Empty for the command line. */
  readonly source: string;
}

async function findNamed(ctx: Context, search: Search): Promise<Database> {
  const { client, project, reference, source } = search;
  try {
    return await client.call(getDatabase, {
      params: { project: project.id, database: reference },
    });
  } catch (error) {
    const isUnknown = error instanceof ApiError &&
      (error.status === 404 || (error.status === 400 && error.requestId === undefined));
    if (!isUnknown) throw error;
  }
  const databases = await listDatabases(client, project);
  if (databases.length === 0) throw noDatabase(ctx, project);
  const near = nearest(reference, databases.map(({ name }) => name));
  const message = `Project ${project.name} has no database "${printable(reference)}"`;
  throw new CliError("not_found", `${message}${source}`, {
    hint: near === undefined ? `Available: ${namesOf(databases)}` : `Did you mean ${near}?`,
    next: [ctx.lines.ofProject("db", "list")],
  });
}

/** Asks a person at the terminal which database to use. */
async function settleUnnamed(
  ctx: Context,
  project: Project,
  databases: readonly Database[],
): Promise<Database> {
  if (databases.length === 0) throw noDatabase(ctx, project);
  if (ctx.prompter === undefined) {
    throw actionRequired(
      `Choose a database: pass its name, or set db.database in svc.toml. None of ` +
        `${project.name} is auto-injected. Available: ${namesOf(databases)}`,
      [ctx.lines.ofProject("db", "list")],
    );
  }
  return await ctx.prompter.select({
    message: "Which database?",
    choices: databases.map((database) => ({
      value: database,
      label: database.name,
      hint: `${database.engine}, ${database.state}`,
    })),
  });
}

/** Finds the project and the database that a command works on. */
export async function openDatabase(
  ctx: Context,
  given: { readonly database?: string | undefined; readonly projectId?: string | undefined },
): Promise<OpenedDatabase> {
  const { client, project, folder } = await openProject(ctx, {
    given: given.projectId,
    phase: "db",
  });
  const configured = folder.config?.db.database;
  const reference = given.database ?? configured;
  const source = given.database === undefined ? " (from db.database in svc.toml)" : "";
  let database: Database;
  if (reference !== undefined) {
    database = await findNamed(ctx, { client, project, reference, source });
  } else {
    const databases = await listDatabases(client, project);
    database = databases.find(({ autoInject }) => autoInject) ??
      await settleUnnamed(ctx, project, databases);
  }
  return { client, project, database, params: { project: project.id, database: database.id } };
}
