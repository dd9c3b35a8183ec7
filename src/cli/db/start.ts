import { startDatabase } from "../../contract/databases.ts";
import { defineCommand } from "../command/command.ts";
import { DATABASE_ARGUMENT, openDatabase } from "./open_database.ts";
import { PROJECT_OPTION } from "../projects/resolve_project.ts";

export default defineCommand({
  description:
    "Starts a database that was stopped with `svc db stop`. Databases sleep and wake automatically.",
  define: (command) => command.argument("[database]", DATABASE_ARGUMENT).option(...PROJECT_OPTION),
  offers: { database: "database" },
  examples: [["db start", "start the project's database"]],
  async run({ args: [given], flags }, ctx) {
    const { client, params } = await openDatabase(ctx, {
      database: given,
      projectId: flags.projectId,
    });
    const database = await client.call(startDatabase, { params, idempotent: true });
    ctx.ui.done("db", `Started database ${database.name}`);
    ctx.ui.result({ database }, "");
  },
});
