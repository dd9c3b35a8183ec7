import type { Database } from "../../contract/databases.ts";
import { defineCommand } from "../command/command.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { listDatabases } from "./open_database.ts";
import { formatInjection, formatSize } from "./show_database.ts";

const HEADINGS = ["DATABASE", "STATE", "ENGINE", "CU", "BRANCHES", "SIZE", "AUTO-INJECT", "ID"];

const toRow = (database: Database): string[] => [
  database.name,
  database.state,
  database.engine,
  database.cuSize,
  String(database.branches),
  formatSize(database.sizeBytes),
  formatInjection(database),
  database.id,
];

export default defineCommand({
  define: (command) =>
    command
      .option("--deleted", "list deleted databases that can be restored")
      .option(...PROJECT_OPTION),
  examples: [
    ["db list", "show the databases of this directory's project"],
    ["db list --deleted", "show databases that svc db undelete can restore"],
  ],
  async run({ flags }, ctx) {
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "db" });
    const deleted = flags.deleted === true;
    const databases = await listDatabases(client, project, { deleted });
    if (databases.length === 0) {
      ctx.ui.note(
        deleted ? "No deleted databases" : "No databases yet: `svc db create` creates one",
      );
    }
    ctx.ui.result({ databases }, ctx.ui.table(HEADINGS, databases.map(toRow)));
  },
});
