import { endpoints, MAIN_BRANCH } from "../../../contract/mod.ts";
import { defineCommand } from "../../command/mod.ts";
import { printable } from "../../terminal/mod.ts";
import { DATABASE_OPTION, openDatabase, PROJECT_OPTION } from "../open_database.ts";

export default defineCommand({
  define: (command) =>
    command
      .option("--branch <name>", "branch that is kept", MAIN_BRANCH)
      .option(...DATABASE_OPTION)
      .option(...PROJECT_OPTION),
  examples: [["db snapshots create", "keep main as it is now, before a migration"]],
  async run({ flags }, ctx) {
    const { client, database, params } = await openDatabase(ctx, flags);
    const snapshot = await client.call(endpoints.createDatabaseSnapshot, {
      params,
      body: { branch: flags.branch },
    });
    const shown = `${printable(snapshot.branch)} of ${database.name}`;
    ctx.ui.done("db", `Kept ${shown} as snapshot ${snapshot.id}`);
    ctx.ui.result({ snapshot }, "");
  },
});
