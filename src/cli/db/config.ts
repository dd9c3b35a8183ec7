import { InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { CU_SIZES, updateDatabase } from "../../contract/databases.ts";
import { booleanValue } from "../command/option_values.ts";
import { defineCommand } from "../command/command.ts";
import { definedOnly } from "../command/defined_only.ts";
import { formatFacts } from "../terminal/table.ts";
import { DATABASE_ARGUMENT, openDatabase } from "./open_database.ts";
import { PROJECT_OPTION } from "../projects/resolve_project.ts";

/**
 * Names of environments, or null for all of them. The list is wrapped in an object because a flag's
 * value cannot be null.
 */
interface EnvironmentList {
  readonly names: string[] | null;
}

/** Parses `production,staging`, or `all`. */
function environmentList(text: string): EnvironmentList {
  const names = text.split(",").map((name) => name.trim()).filter((name) => name !== "");
  if (names.length === 0) throw new InvalidArgumentError("Expected names of environments, or all.");
  if (!names.includes("all")) return { names };
  if (names.length === 1) return { names: null };
  throw new InvalidArgumentError("Expected either all or names of environments.");
}

export default defineCommand({
  description:
    "Shows the settings if no flags are given. Running servers pick up a change on their next request. A build uses the settings in effect when it starts. A new size applies to connections immediately, and to memory the next time a branch wakes.",
  define: (command) =>
    command
      .argument("[database]", DATABASE_ARGUMENT)
      .addOption(
        new Option("--cu-size <size>", "compute units: memory and connections per branch")
          .choices(CU_SIZES),
      )
      .option("--auto-inject <true|false>", "whether deployments get the variable", booleanValue)
      .option("--env-var <NAME>", "name of the variable")
      .option(
        "--environments <names>",
        "environments that get it, separated by commas, or all",
        environmentList,
      )
      .option(
        "--preview-branches <true|false>",
        "whether the previews of each git branch get their own database branch",
        booleanValue,
      )
      .option(...PROJECT_OPTION),
  offers: { database: "database" },
  examples: [
    ["db config", "show the settings"],
    ["db config shop --auto-inject true --env-var SHOP_URL", "inject it under a different name"],
    ["db config --cu-size 1.0", "more memory and connections per branch"],
    ["db config --environments production,staging", "inject it only in these environments"],
    [
      "db config --preview-branches true",
      "give the previews of each git branch their own database branch",
    ],
  ],
  async run({ args: [given], flags }, ctx) {
    const opened = await openDatabase(ctx, { database: given, projectId: flags.projectId });
    const { autoInject, envVar, previewBranches, cuSize, environments: listed } = flags;
    const environments = listed?.names;
    const body = definedOnly({ autoInject, envVar, previewBranches, cuSize, environments });
    const isChange = Object.keys(body).length > 0;
    const database = isChange
      ? await opened.client.call(updateDatabase, {
        params: opened.params,
        body,
        idempotent: true,
      })
      : opened.database;
    if (isChange) ctx.ui.done("db", `Changed database ${database.name}`);
    const settings = {
      autoInject: database.autoInject,
      envVar: database.envVar,
      environments: database.environments,
      previewBranches: database.previewBranches,
    };
    ctx.ui.result(
      { ...settings, database },
      formatFacts([
        ["database", database.name],
        ["auto-inject", String(settings.autoInject)],
        ["variable", settings.envVar],
        ["environments", settings.environments?.join(", ") ?? "all"],
        ["preview branches", String(settings.previewBranches)],
        ["cu size", database.cuSize],
      ]),
    );
  },
});
