import { defineCommand } from "../../command/command.ts";
import { DATABASE_OPTION, openDatabase } from "../open_database.ts";
import { printConnection } from "../print_connection.ts";
import { PROJECT_OPTION } from "../../projects/resolve_project.ts";

export default defineCommand({
  description: "Prints only the URL on stdout. It contains the branch's password.",
  define: (command) =>
    command
      .argument("<branch>", "name of the branch")
      .option(...DATABASE_OPTION)
      .option(...PROJECT_OPTION),
  offers: { branch: "database-branch" },
  examples: [["db branches connection feature/cart", "print a branch's URL"]],
  async run({ args: [branch], flags }, ctx) {
    await printConnection(ctx, await openDatabase(ctx, flags), branch);
  },
});
