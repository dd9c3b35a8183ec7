import { defineCommand } from "../command/command.ts";
import { DATABASE_ARGUMENT, openDatabase } from "./open_database.ts";
import { formatDatabase } from "./show_database.ts";
import { PROJECT_OPTION } from "../projects/resolve_project.ts";

export default defineCommand({
  description:
    "Shows the database's state, the reason for any failure, its limits and history, and notes about its engine and variable.",
  define: (command) => command.argument("[database]", DATABASE_ARGUMENT).option(...PROJECT_OPTION),
  offers: { database: "database" },
  examples: [["db info", "show the project's database"], [
    "db info shop",
    "show the database shop",
  ]],
  async run({ args: [given], flags }, ctx) {
    const { database } = await openDatabase(ctx, { database: given, projectId: flags.projectId });
    ctx.ui.result({ database }, formatDatabase(database, ctx.now()));
  },
});
