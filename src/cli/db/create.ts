import { Option } from "@commander-js/extra-typings";
import { ApiError } from "../../client/errors.ts";
import type { Client } from "../../client/client.ts";
import type { BodyInputOf } from "../../contract/endpoint.ts";
import {
  createDatabase,
  CU_SIZES,
  type Database,
  DATABASE_ENGINES,
  DATABASE_VARIABLE,
} from "../../contract/databases.ts";
import type { Project } from "../../contract/projects.ts";
import { booleanValue } from "../command/option_values.ts";
import { defineCommand } from "../command/command.ts";
import { CliError } from "../errors/cli_error.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import type { Context } from "../session/context.ts";
import { listDatabases } from "./open_database.ts";
import { formatInjection } from "./show_database.ts";
import { waitForDatabase } from "./wait_for_database.ts";

/**
 * Creates the database. After a name conflict, suggests running the command with a different name.
 */
async function createNamed(
  ctx: Context,
  client: Client,
  { project, body }: {
    readonly project: Project;
    readonly body: BodyInputOf<typeof createDatabase>;
  },
): Promise<Database> {
  try {
    return await client.call(createDatabase, { params: { project: project.id }, body });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409) throw error;
    const databases = await listDatabases(client, project);
    if (!databases.some(({ name }) => name === body.name)) throw error;
    throw new CliError("conflict", `Project ${project.name} already has a database ${body.name}`, {
      hint: "Choose another --name, and another --env-var if deployments should get both",
      next: [ctx.lines.ofProject("db", "info", body.name)],
      cause: error,
    });
  }
}

/** Returns messages about the deployments that get the variable automatically. */
function injectionOf(database: Database): readonly string[] {
  if (!database.autoInject) return [];
  const { overriddenBy } = database;
  if (overriddenBy.length > 0) return overriddenBy.map(({ note }) => note);
  return [`New deployments get ${formatInjection(database)}`];
}

export default defineCommand({
  description:
    "Deployments get the database's connection string as a variable, unless --auto-inject is false. Running servers get it on their next request.",
  define: (command) =>
    command
      .option("--name <name>", "name of the database (default: the name of the project)")
      .addOption(
        new Option("--cu-size <size>", "compute units: memory and connections per branch")
          .choices(CU_SIZES).default("0.25" as const),
      )
      .addOption(
        new Option("--engine <engine>", "database engine (default: the platform's default)")
          .choices(DATABASE_ENGINES),
      )
      .option(
        "--auto-inject <true|false>",
        "whether deployments get the variable",
        booleanValue,
        true,
      )
      .option("--env-var <NAME>", "name of the variable", DATABASE_VARIABLE)
      .option("--wait", "wait for activation")
      .option(...PROJECT_OPTION),
  examples: [
    ["db create --wait", "create a database with the project's name, and wait for it"],
    [
      "db create --name stats --cu-size 1.0 --env-var STATS_URL",
      "create a second one with more memory",
    ],
  ],
  async run({ flags }, ctx) {
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "db" });
    const { cuSize, engine, envVar, autoInject } = flags;
    const name = flags.name ?? project.name;
    const created = await createNamed(ctx, client, {
      project,
      body: { name, cuSize, envVar, autoInject, engine },
    });
    const database = flags.wait === true ? await waitForDatabase(ctx, client, created) : created;
    const state = database.state === "active" ? "" : `, ${database.state}`;
    ctx.ui.done("db", `Created database ${database.name} of ${project.name}${state}`);
    for (const sentence of injectionOf(database)) ctx.ui.note(sentence);
    const query = ["db", "query", "select version()", "--database", database.name];
    ctx.ui.note(`Try it: ${ctx.lines.ofProject(...query)}`);
    ctx.ui.result({ database }, "");
  },
});
