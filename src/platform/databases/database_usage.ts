/**
 * Usage and limits of a project's databases.
 *
 * @module
 */
import type { Usage } from "../../contract/usage.ts";
import type { BranchStore } from "./branch_store.ts";
import type { DatabaseStore } from "./database_store.ts";
import { MAX_BRANCHES, MAX_DATABASES, MAX_MANUAL_SNAPSHOTS } from "./sizes.ts";

export async function databaseUsage(
  { databases, branches }: {
    readonly databases: Pick<DatabaseStore, "list">;
    readonly branches: Pick<BranchStore, "list" | "snapshots">;
  },
  projectId: string,
): Promise<Usage[]> {
  const all = await databases.list(projectId);
  const each = all.map(async ({ id, name }): Promise<Usage[]> => {
    const [made, snapshots] = await Promise.all([
      branches.list(id),
      branches.snapshots.collect(id),
    ]);
    const manual = snapshots.filter(({ kind, ready }) => ready && kind === "manual");
    return [
      { subject: "databaseBranches", of: name, used: made.length, limit: MAX_BRANCHES },
      {
        subject: "databaseSnapshots",
        of: name,
        used: manual.length,
        limit: MAX_MANUAL_SNAPSHOTS,
      },
    ];
  });
  return [
    { subject: "databases", of: null, used: all.length, limit: MAX_DATABASES },
    ...(await Promise.all(each)).flat(),
  ];
}
