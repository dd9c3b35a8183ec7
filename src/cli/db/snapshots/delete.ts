import { deleteDatabaseSnapshot } from "../../../contract/database_branches.ts";
import { confirm } from "../../command/confirm.ts";
import { defineCommand } from "../../command/command.ts";
import { formatAge, printable } from "../../terminal/format.ts";
import { DATABASE_OPTION, openDatabase } from "../open_database.ts";
import { findSnapshot } from "./find_snapshot.ts";
import { PROJECT_OPTION } from "../../projects/resolve_project.ts";

export default defineCommand({
  define: (command) =>
    command
      .argument("<snapshot>", "ID of the snapshot")
      .option("--force", "skip the confirmation")
      .option(...DATABASE_OPTION)
      .option(...PROJECT_OPTION),
  offers: { snapshot: "database-snapshot" },
  examples: [[
    "db snapshots delete 0199e2e8-5f0f-7e11-8a33-0242ac120002",
    "delete a snapshot after confirmation",
  ]],
  async run({ args: [given], flags }, ctx) {
    const opened = await openDatabase(ctx, flags);
    const snapshot = await findSnapshot(ctx, opened, given);
    const shown =
      `the snapshot of ${printable(snapshot.branch)} of ${opened.database.name} created ` +
      formatAge(snapshot.createdAt, ctx.now());
    await confirm(ctx, {
      force: flags.force,
      question: `Delete ${shown}? This cannot be undone`,
      wanted: `Confirm the deletion of ${shown}`,
      declined: "Nothing deleted",
    });
    await opened.client.call(deleteDatabaseSnapshot, {
      params: { ...opened.params, snapshot: snapshot.id },
    });
    ctx.ui.done("db", `Deleted ${shown}`);
    ctx.ui.result({ deleted: true, snapshot }, "");
  },
});
