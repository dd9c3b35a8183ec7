import { restoreDatabaseSnapshot } from "../../../contract/database_branches.ts";
import { confirm } from "../../command/confirm.ts";
import { defineCommand } from "../../command/command.ts";
import { formatAge, printable } from "../../terminal/format.ts";
import { DATABASE_OPTION, listBranches, openDatabase, PROJECT_OPTION } from "../open_database.ts";
import { findSnapshot } from "./find_snapshot.ts";

export default defineCommand({
  description:
    "An existing branch is replaced, after asking, and keeps its connection string; another " +
    "name makes a new branch to look into.",
  define: (command) =>
    command
      .argument("<snapshot>", "id of the snapshot, or latest")
      .option("--branch <name>", "branch that it becomes (default: the one that was kept)")
      .option("--force", "do not ask")
      .option(...DATABASE_OPTION)
      .option(...PROJECT_OPTION),
  offers: { snapshot: "database-snapshot" },
  examples: [
    ["db snapshots restore latest --branch before", "bring it back beside the others"],
    ["db snapshots restore latest --force", "put the newest in place of its branch"],
  ],
  async run({ args: [given], flags }, ctx) {
    const opened = await openDatabase(ctx, flags);
    const { client, database, params } = opened;
    const snapshot = await findSnapshot(ctx, opened, given);
    const name = flags.branch ?? snapshot.branch;
    const shown = `branch ${printable(name)} of ${database.name}`;
    const age = formatAge(snapshot.createdAt, ctx.now());
    const branches = await listBranches(client, database);
    if (branches.some((branch) => branch.name === name)) {
      await confirm(ctx, {
        force: flags.force,
        question: `Replace ${shown} by the snapshot made ${age}? What is in it now is lost`,
        wanted: `Confirm that ${shown} is replaced by the snapshot made ${age}`,
        declined: "Nothing restored",
      });
    }
    const branch = await client.call(restoreDatabaseSnapshot, {
      params: { ...params, snapshot: snapshot.id },
      body: { branch: name },
    });
    ctx.ui.done("db", `Restored ${shown} from the snapshot made ${age}`);
    ctx.ui.result({ branch, snapshot }, "");
  },
});
