import { Option } from "@commander-js/extra-typings";
import { CU_SIZES, DATABASE_ENGINES, DATABASE_VARIABLE, endpoints } from "../../contract/mod.ts";
import { booleanValue, defineCommand, definedOnly } from "../command/mod.ts";
import { openProject } from "../projects/mod.ts";
import { PROJECT_OPTION } from "./open_database.ts";
import { formatInjection } from "./show_database.ts";
import { waitForDatabase } from "./wait_for_database.ts";

export default defineCommand({
  description:
    "Deployments that are made from then on get its connection string as a variable, unless " +
    "--auto-inject is false.",
  define: (command) =>
    command
      .option("--name <name>", "name of the database (default: that of the project)")
      .addOption(
        new Option("--cu-size <size>", "compute units: memory and clients of each branch")
          .choices(CU_SIZES).default("0.25" as const),
      )
      .addOption(
        new Option("--engine <engine>", "kind of PostgreSQL (default: the platform's usual one)")
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
    ["db create --wait", "create a database named like the project, and wait for it"],
    ["db create --name stats --cu-size 1.0 --env-var STATS_URL", "a second one, with more memory"],
  ],
  answers: "{ database }",
  async run({ flags }, ctx) {
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "db" });
    const { cuSize, engine, envVar, autoInject } = flags;
    const created = await client.call(endpoints.createDatabase, {
      params: { project: project.id },
      body: {
        name: flags.name ?? project.name,
        cuSize,
        envVar,
        autoInject,
        ...definedOnly({ engine }),
      },
    });
    const database = flags.wait === true ? await waitForDatabase(ctx, client, created) : created;
    const state = database.state === "active" ? "" : `, ${database.state}`;
    ctx.ui.done("db", `Created database ${database.name} of ${project.name}${state}`);
    if (database.autoInject) {
      ctx.ui.note(`Deployments from now on get ${formatInjection(database)}`);
    }
    ctx.ui.note(`Try it: ${ctx.lines.ofProject("db", "query", "select version()")}`);
    ctx.ui.result({ database }, "");
  },
});
