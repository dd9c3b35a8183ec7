import { Option } from "@commander-js/extra-typings";
import { DATABASE_ENGINES, moveDatabase } from "../../contract/databases.ts";
import { confirm } from "../command/confirm.ts";
import { defineCommand } from "../command/command.ts";
import { CliError } from "../errors/cli_error.ts";
import { printable } from "../terminal/format.ts";
import { DATABASE_ARGUMENT, listBranches, openDatabase } from "./open_database.ts";
import { databaseFailed, waitForDatabase } from "./wait_for_database.ts";
import { PROJECT_OPTION } from "../projects/resolve_project.ts";

export default defineCommand({
  description:
    "Copies all branches to another engine. Clients are disconnected during the move. Connection strings do not change.",
  define: (command) =>
    command
      .argument("[database]", DATABASE_ARGUMENT)
      .addOption(
        new Option("--to <engine>", "engine to move to")
          .choices(DATABASE_ENGINES).makeOptionMandatory(),
      )
      .option("--force", "skip the confirmation")
      .option(...PROJECT_OPTION),
  offers: { database: "database" },
  examples: [
    ["db move --to server", "move the project's database to the platform's PostgreSQL server"],
    ["db move shop --to embedded --force", "move it back without confirmation"],
  ],
  async run({ args: [given], flags }, ctx) {
    const { client, database: before, params } = await openDatabase(ctx, {
      database: given,
      projectId: flags.projectId,
    });
    if (before.engine === flags.to) {
      throw new CliError("usage", `Database ${before.name} is already on ${flags.to}`);
    }
    await confirm(ctx, {
      force: flags.force,
      question:
        `Move ${before.name} from ${before.engine} to ${flags.to}? Its clients are disconnected during the move`,
      wanted: `Confirm the move of database ${before.name} to ${flags.to}`,
      declined: "Nothing moved",
    });
    ctx.ui.log("db", "info", `Moving ${before.name} from ${before.engine} to ${flags.to}`);
    const begun = await client.call(moveDatabase, {
      params,
      body: { engine: flags.to },
    });
    const database = await waitForDatabase(ctx, client, begun, "moved");
    // A database that cannot be moved keeps its engine.
    if (database.engine !== flags.to) throw databaseFailed(ctx, database, "moved");
    for (const { name, state, reason } of await listBranches(client, database)) {
      if (state !== "failed") continue;
      const why = reason === null ? "" : `: ${printable(reason)}`;
      ctx.ui.log("db", "warn", `Cannot move branch ${printable(name)}${why}`);
    }
    ctx.ui.done("db", `Moved database ${database.name} to ${database.engine}`);
    ctx.ui.result({ database }, "");
  },
});
