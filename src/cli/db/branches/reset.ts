import { resetDatabaseBranch } from "../../../contract/database_branches.ts";
import { defineCommand } from "../../command/command.ts";
import { CliError } from "../../errors/cli_error.ts";
import { printable } from "../../terminal/format.ts";
import { openDatabase } from "../open_database.ts";
import { confirmByPerson, findBranch, takeBranch } from "./find_branch.ts";

export default defineCommand({
  description:
    "Asks at a terminal. What the branch has and its parent does not is lost; its connection " +
    "string stays as it is.",
  define: takeBranch,
  offers: { branch: "database-branch" },
  examples: [["db branches reset staging", "make staging equal to its parent again"]],
  async run({ args: [name], flags }, ctx) {
    const opened = await openDatabase(ctx, flags);
    const { name: branch, parent } = await findBranch(ctx, opened, name);
    if (parent === null) {
      throw new CliError("usage", `Name a branch with a parent: ${printable(branch)} has none`);
    }
    const shown = `branch ${printable(branch)} of ${opened.database.name}`;
    await confirmByPerson(ctx, {
      force: flags.force,
      question: `Make ${shown} equal to ${printable(parent)}? What is in it is lost`,
      no: "Nothing changed",
    });
    const after = await opened.client.call(resetDatabaseBranch, {
      params: { ...opened.params, branch },
    });
    ctx.ui.done("db", `Reset ${shown} to ${printable(parent)}`);
    ctx.ui.result({ branch: after }, "");
  },
});
