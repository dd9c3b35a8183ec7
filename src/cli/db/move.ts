import { Option } from "@commander-js/extra-typings";
import { DATABASE_ENGINES, moveDatabase } from "../../contract/databases.ts";
import { confirm } from "../command/confirm.ts";
import { defineCommand } from "../command/command.ts";
import { CliError } from "../errors/cli_error.ts";
import { printable } from "../terminal/format.ts";
import { DATABASE_ARGUMENT, listBranches, openDatabase, PROJECT_OPTION } from "./open_database.ts";
import { databaseFailed, waitForDatabase } from "./wait_for_database.ts";

export default defineCommand({
  description:
    "Copies all branches to the other engine, and points their clients there. Clients are cut " +
    "off for that time; connection strings stay as they are.",
  define: (command) =>
    command
      .argument("[database]", DATABASE_ARGUMENT)
      .addOption(
        new Option("--to <engine>", "kind of PostgreSQL that it moves to")
          .choices(DATABASE_ENGINES).makeOptionMandatory(),
      )
      .option("--force", "do not ask")
      .option(...PROJECT_OPTION),
  offers: { database: "database" },
  examples: [
    ["db move --to server", "move the project's database to the platform's PostgreSQL server"],
    ["db move shop --to embedded --force", "move it back, without asking"],
  ],
  async run({ args: [given], flags }, ctx) {
    const { client, database: before, params } = await openDatabase(ctx, {
      database: given,
      projectId: flags.projectId,
    });
    if (before.engine === flags.to) {
      throw new CliError("usage", `Name another engine: ${before.name} is on ${flags.to} already`);
    }
    await confirm(ctx, {
      force: flags.force,
      question: `Move ${before.name} from ${before.engine} to ${flags.to}? ` +
        "Its clients are cut off meanwhile",
      wanted: `Confirm the move of database ${before.name} to ${flags.to}`,
      declined: "Nothing moved",
    });
    ctx.ui.log("db", "info", `Moving ${before.name} from ${before.engine} to ${flags.to}`);
    const begun = await client.call(moveDatabase, {
      params,
      body: { engine: flags.to },
    });
    const database = await waitForDatabase(ctx, client, begun, "moved");
    // A database that cannot be moved stays where it is.
    if (database.engine !== flags.to) throw databaseFailed(ctx, database, "moved");
    for (const { name, state, reason } of await listBranches(client, database)) {
      if (state !== "failed") continue;
      const why = reason === null ? "" : `: ${printable(reason)}`;
      ctx.ui.log("db", "warn", `Branch ${printable(name)} could not be moved${why}`);
    }
    ctx.ui.done("db", `Moved database ${database.name} to ${database.engine}`);
    ctx.ui.result({ database }, "");
  },
});
