import { BRANCH_TTL_MAX, createDatabaseBranch } from "../../../contract/database_branches.ts";
import { MAIN_BRANCH } from "../../../contract/databases.ts";
import { defineCommand } from "../../command/command.ts";
import { duration, parseSince } from "../../command/option_values.ts";
import { CliError } from "../../errors/cli_error.ts";
import { printable } from "../../terminal/format.ts";
import { DATABASE_OPTION, openDatabase } from "../open_database.ts";
import { PROJECT_OPTION } from "../../projects/resolve_project.ts";

export default defineCommand({
  description:
    "Copies the committed data of a branch as it is now, or as it was at a point in its history (svc db info shows the range). After that, the two are independent. The new branch has its own password.",
  define: (command) =>
    command
      .argument("<name>", "name of the new branch")
      .option("--from <branch>", "branch to copy", MAIN_BRANCH)
      .option(
        "--at <time>",
        "copy the branch as of this time: 10m, 2h or 3d ago, or a date and time",
      )
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
    ["db branches create before --at 10m", "copy main as it was ten minutes ago"],
  ],
  async run({ args: [name], flags }, ctx) {
    const { client, database, params } = await openDatabase(ctx, flags);
    const at = flags.at === undefined ? undefined : parseSince(flags.at, ctx.now());
    const branch = await client.call(createDatabaseBranch, {
      params,
      body: { name, from: flags.from, at, ttlSeconds: flags.ttl },
    });
    if (branch.state === "failed") {
      const why = printable(branch.reason ?? "the platform gives no reason");
      throw new CliError("database_failed", `Branch ${printable(name)} was not created: ${why}`, {
        next: [ctx.lines.ofProject("db", "branches", "delete", name, "--force")],
      });
    }
    const expiry = branch.expiresAt === null ? "" : `, until ${branch.expiresAt}`;
    ctx.ui.done(
      "db",
      `Created branch ${printable(branch.name)} of ${database.name} from ` +
        `${printable(flags.from)}${at === undefined ? "" : ` as of ${at}`}${expiry}`,
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
