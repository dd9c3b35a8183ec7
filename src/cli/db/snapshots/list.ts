import { listDatabaseSnapshots } from "../../../contract/database_branches.ts";
import { defineCommand } from "../../command/command.ts";
import { formatAge, formatBytes } from "../../terminal/format.ts";
import { DATABASE_OPTION, openDatabase } from "../open_database.ts";
import { PROJECT_OPTION } from "../../projects/resolve_project.ts";

export default defineCommand({
  description: "The platform creates one per database every day.",
  define: (command) => command.option(...DATABASE_OPTION).option(...PROJECT_OPTION),
  examples: [["db snapshots list", "show the snapshots of the project's database"]],
  async run({ flags }, ctx) {
    const { client, database, params } = await openDatabase(ctx, flags);
    const { items } = await client.call(listDatabaseSnapshots, { params });
    if (items.length === 0) ctx.ui.note(`No snapshots of ${database.name} yet`);
    const rows = items.map(({ id, branch, kind, sizeBytes, createdAt }) => [
      formatAge(createdAt, ctx.now()),
      branch,
      kind,
      formatBytes(sizeBytes),
      id,
    ]);
    const headings = ["AGE", "BRANCH", "KIND", "SIZE", "ID"];
    ctx.ui.result({ snapshots: items }, ctx.ui.table(headings, rows));
  },
});
