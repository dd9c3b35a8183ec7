import { deleteDatabaseBranch } from "../../../contract/database_branches.ts";
import { defineCommand } from "../../command/command.ts";
import { printable } from "../../terminal/format.ts";
import { openDatabase } from "../open_database.ts";
import { confirmByPerson, findBranch, takeBranch } from "./find_branch.ts";

export default defineCommand({
  description:
    "Asks for confirmation in a terminal. Disconnects the branch's clients and deletes its data permanently.",
  define: takeBranch,
  offers: { branch: "database-branch" },
  examples: [["db branches delete feature/cart", "delete the branch"]],
  async run({ args: [name], flags }, ctx) {
    const opened = await openDatabase(ctx, flags);
    const branch = await findBranch(ctx, opened, name);
    const shown = `branch ${printable(branch.name)} of ${opened.database.name}`;
    await confirmByPerson(ctx, {
      force: flags.force,
      question: `Delete ${shown} with its data? This cannot be undone`,
      no: "Nothing deleted",
    });
    await opened.client.call(deleteDatabaseBranch, {
      params: { ...opened.params, branch: branch.name },
    });
    ctx.ui.done("db", `Deleted ${shown}`);
    ctx.ui.result({ deleted: true, branch }, "");
  },
});
