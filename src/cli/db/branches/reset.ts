import { resetDatabaseBranch } from "../../../contract/database_branches.ts";
import { defineCommand } from "../../command/command.ts";
import { CliError } from "../../errors/cli_error.ts";
import { printable } from "../../terminal/format.ts";
import { openDatabase } from "../open_database.ts";
import { confirmByPerson, findBranch, takeBranch } from "./find_branch.ts";

export default defineCommand({
  description:
    "Asks for confirmation in a terminal. Changes made only in this branch are lost. The branch's connection string does not change.",
  define: takeBranch,
  offers: { branch: "database-branch" },
  examples: [["db branches reset staging", "reset staging to its parent"]],
  async run({ args: [name], flags }, ctx) {
    const opened = await openDatabase(ctx, flags);
    const { name: branch, parent } = await findBranch(ctx, opened, name);
    if (parent === null) {
      throw new CliError("usage", `Cannot reset ${printable(branch)}: it has no parent`);
    }
    const shown = `branch ${printable(branch)} of ${opened.database.name}`;
    await confirmByPerson(ctx, {
      force: flags.force,
      question: `Reset ${shown} to ${printable(parent)}? Its current data is lost`,
      no: "Nothing changed",
    });
    const after = await opened.client.call(resetDatabaseBranch, {
      params: { ...opened.params, branch },
    });
    ctx.ui.done("db", `Reset ${shown} to ${printable(parent)}`);
    ctx.ui.result({ branch: after }, "");
  },
});
