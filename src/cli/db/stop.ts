import { stopDatabase } from "../../contract/databases.ts";
import { defineCommand } from "../command/command.ts";
import { DATABASE_ARGUMENT, openDatabase } from "./open_database.ts";
import { PROJECT_OPTION } from "../projects/resolve_project.ts";

export default defineCommand({
  description:
    "Keeps the data. The database refuses all clients, including deployments, until you run `svc db start`.",
  define: (command) => command.argument("[database]", DATABASE_ARGUMENT).option(...PROJECT_OPTION),
  offers: { database: "database" },
  examples: [["db stop shop", "end all connections to the database shop"]],
  async run({ args: [given], flags }, ctx) {
    const { client, params } = await openDatabase(ctx, {
      database: given,
      projectId: flags.projectId,
    });
    const database = await client.call(stopDatabase, { params, idempotent: true });
    ctx.ui.done("db", `Stopped database ${database.name}`);
    ctx.ui.result({ database }, "");
  },
});
