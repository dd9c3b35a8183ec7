import { createDatabaseSnapshot } from "../../../contract/database_branches.ts";
import { MAIN_BRANCH } from "../../../contract/databases.ts";
import { defineCommand } from "../../command/command.ts";
import { printable } from "../../terminal/format.ts";
import { DATABASE_OPTION, openDatabase } from "../open_database.ts";
import { PROJECT_OPTION } from "../../projects/resolve_project.ts";

export default defineCommand({
  define: (command) =>
    command
      .option("--branch <name>", "branch to save", MAIN_BRANCH)
      .option(...DATABASE_OPTION)
      .option(...PROJECT_OPTION),
  examples: [["db snapshots create", "save main before a migration"]],
  async run({ flags }, ctx) {
    const { client, database, params } = await openDatabase(ctx, flags);
    const snapshot = await client.call(createDatabaseSnapshot, {
      params,
      body: { branch: flags.branch },
    });
    const shown = `${printable(snapshot.branch)} of ${database.name}`;
    ctx.ui.done("db", `Created snapshot ${snapshot.id} of ${shown}`);
    ctx.ui.result({ snapshot }, "");
  },
});
