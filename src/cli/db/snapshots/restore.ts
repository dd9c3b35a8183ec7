import { restoreDatabaseSnapshot } from "../../../contract/database_branches.ts";
import { confirm } from "../../command/confirm.ts";
import { defineCommand } from "../../command/command.ts";
import { formatAge, printable } from "../../terminal/format.ts";
import { DATABASE_OPTION, listBranches, openDatabase } from "../open_database.ts";
import { findSnapshot } from "./find_snapshot.ts";
import { PROJECT_OPTION } from "../../projects/resolve_project.ts";

export default defineCommand({
  description:
    "Replaces an existing branch after confirmation and keeps its connection string. With another name, it creates a new branch.",
  define: (command) =>
    command
      .argument("<snapshot>", "ID of the snapshot, or latest")
      .option("--branch <name>", "branch to restore to (default: the saved branch)")
      .option("--force", "skip the confirmation")
      .option(...DATABASE_OPTION)
      .option(...PROJECT_OPTION),
  offers: { snapshot: "database-snapshot" },
  examples: [
    ["db snapshots restore latest --branch before", "restore it to a new branch"],
    ["db snapshots restore latest --force", "replace the branch with the latest snapshot"],
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
        question: `Replace ${shown} with the snapshot created ${age}? Its current data is lost`,
        wanted: `Confirm the replacement of ${shown} with the snapshot created ${age}`,
        declined: "Nothing restored",
      });
    }
    const branch = await client.call(restoreDatabaseSnapshot, {
      params: { ...params, snapshot: snapshot.id },
      body: { branch: name },
    });
    ctx.ui.done("db", `Restored ${shown} from the snapshot created ${age}`);
    ctx.ui.result({ branch, snapshot }, "");
  },
});
