import { defineCommand } from "../command/command.ts";
import { openDatabase, takeDatabaseBranch } from "./open_database.ts";
import { printConnection } from "./print_connection.ts";

export default defineCommand({
  description:
    "Prints only the URL on stdout. It contains the password: anyone who has the URL can read and change everything in the branch.",
  define: takeDatabaseBranch,
  offers: { database: "database" },
  examples: [
    ["db connection", "print the URL, for example for psql: psql $(svc db connection)"],
    ["db connection shop --branch feature/cart", "print a branch's URL"],
  ],
  async run({ args: [given], flags }, ctx) {
    const opened = await openDatabase(ctx, { database: given, projectId: flags.projectId });
    await printConnection(ctx, opened, flags.branch);
  },
});
