import type { DatabaseBranch } from "../../../contract/database_branches.ts";
import { defineCommand } from "../../command/command.ts";
import { formatAge } from "../../terminal/format.ts";
import { DATABASE_OPTION, listBranches, openDatabase } from "../open_database.ts";
import { formatSize } from "../show_database.ts";
import { PROJECT_OPTION } from "../../projects/resolve_project.ts";

const HEADINGS = ["BRANCH", "PARENT", "STATE", "SIZE", "AGE", "EXPIRES", "CLIENTS", "GIT BRANCH"];

const toRow = (branch: DatabaseBranch, now: number): string[] => [
  branch.name,
  branch.parent ?? "-",
  branch.reason === null ? branch.state : `${branch.state}: ${branch.reason}`,
  formatSize(branch.sizeBytes),
  formatAge(branch.resetAt ?? branch.createdAt, now),
  branch.expiresAt ?? "never",
  branch.running ? String(branch.connections) : "asleep",
  branch.gitBranch ?? "-",
];

export default defineCommand({
  description:
    "Ages are counted from the last reset. A sleeping branch wakes when a client connects.",
  define: (command) => command.option(...DATABASE_OPTION).option(...PROJECT_OPTION),
  examples: [["db branches list", "show the branches of the project's database"]],
  async run({ flags }, ctx) {
    const { client, database } = await openDatabase(ctx, flags);
    const branches = await listBranches(client, database);
    const rows = branches.map((branch) => toRow(branch, ctx.now()));
    ctx.ui.result({ branches }, ctx.ui.table(HEADINGS, rows));
  },
});
