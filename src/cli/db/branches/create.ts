import { BRANCH_TTL_MAX, createDatabaseBranch } from "../../../contract/database_branches.ts";
import { MAIN_BRANCH } from "../../../contract/databases.ts";
import { defineCommand } from "../../command/command.ts";
import { definedOnly } from "../../command/defined_only.ts";
import { duration } from "../../command/option_values.ts";
import { printable } from "../../terminal/format.ts";
import { DATABASE_OPTION, openDatabase, PROJECT_OPTION } from "../open_database.ts";

export default defineCommand({
  description:
    "Copies the committed data of a branch. After that, the two are independent. The new branch has its own password.",
  define: (command) =>
    command
      .argument("<name>", "name of the new branch")
      .option("--from <branch>", "branch to copy", MAIN_BRANCH)
      .option(
        "--ttl <time>",
        "delete the branch after this time: 90m, 12h, 7d",
        duration({ min: 60, max: BRANCH_TTL_MAX }),
      )
      .option(...DATABASE_OPTION)
      .option(...PROJECT_OPTION),
  examples: [
    ["db branches create feature/cart", "copy main"],
    ["db branches create try --from staging --ttl 12h", "copy staging for half a day"],
  ],
  async run({ args: [name], flags }, ctx) {
    const { client, database, params } = await openDatabase(ctx, flags);
    const branch = await client.call(createDatabaseBranch, {
      params,
      body: { name, from: flags.from, ...definedOnly({ ttlSeconds: flags.ttl }) },
    });
    const expiry = branch.expiresAt === null ? "" : `, until ${branch.expiresAt}`;
    ctx.ui.done(
      "db",
      `Created branch ${printable(branch.name)} of ${database.name} from ` +
        `${printable(flags.from)}${expiry}`,
    );
    const line = ctx.lines.ofProject(
      "db",
      "branches",
      "connection",
      branch.name,
      "--database",
      database.name,
    );
    ctx.ui.note(`Connect: ${line}`);
    ctx.ui.result({ branch }, "");
  },
});
