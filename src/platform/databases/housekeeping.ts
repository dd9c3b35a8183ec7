/**
 * One round of housekeeping of databases: what has expired is removed, what is
 * to be kept each day is kept, and nothing is left behind.
 *
 * @module
 */
import { formatCount } from "../../lib/format.ts";
import { LeaseLostError, requireLease } from "../core/nodes/mod.ts";
import type { DeploymentStore } from "../deployments/mod.ts";
import type { RecordedBranches } from "./branch_access.ts";
import type { DatabaseServices } from "./database_service.ts";
import { endedPreviews } from "./preview_branches.ts";
import type { BranchRecord, DatabaseRecord } from "./records.ts";
import { GRACE_MS } from "./sizes.ts";
import type { SnapshotService } from "./snapshot_service.ts";

/** How long a branch of an engine is kept that no record names, in milliseconds. */
const STRAY_MS = 24 * 60 * 60 * 1000;

export interface HousekeepingParts extends DatabaseServices {
  readonly snapshots: SnapshotService;
  readonly directory: RecordedBranches;
  readonly deployments: Pick<DeploymentStore, "of">;
  /** When this process began: what happened to branches before is not known. */
  readonly startedAt: number;
  onTrouble(message: string): void;
}

interface Counts {
  readonly removed: number;
  readonly expired: number;
  readonly ended: number;
  readonly kept: number;
  readonly strays: number;
}

/** What a round did, for the log. */
function report({ removed, expired, ended, kept, strays }: Counts): string[] {
  return [
    removed > 0 ? `removed ${formatCount(removed, "deleted database")} for good` : "",
    expired > 0 ? `removed ${expired} expired branches of databases` : "",
    ended > 0 ? `removed database branches of ${formatCount(ended, "ended preview")}` : "",
    kept > 0 ? `took ${formatCount(kept, "daily snapshot")} of databases` : "",
    strays > 0 ? `removed ${formatCount(strays, "stray")} of PostgreSQL engines` : "",
  ].filter((line) => line !== "");
}

/** Returns a line for the log per thing it did. */
export async function keepDatabases(
  parts: HousekeepingParts,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { databases, work, now } = parts;
  let [removed, expired, ended, kept] = [0, 0, 0, 0];
  for (const database of await databases.allDeleted()) {
    if (signal.aborted) return [];
    if (now() - (database.deletedAt ?? 0) < GRACE_MS) continue;
    await removeDatabase(parts, database);
    removed++;
  }
  for await (const database of databases.all()) {
    if (signal.aborted) break;
    if (database.deletedAt !== null) continue;
    expired += await removeExpired(parts, database);
    ended += await removeEndedPreviews(parts, database);
    if (await keepDaily(parts, database)) kept++;
  }
  await work.removeRemains();
  const strays = signal.aborted ? 0 : await removeStrays(parts);
  return report({ removed, expired, ended, kept, strays });
}

/** Removes all records of a database; its storages are to be removed. */
export async function removeDatabase(
  { databases, branches }: Pick<HousekeepingParts, "databases" | "branches">,
  database: DatabaseRecord,
): Promise<void> {
  for (const branch of await branches.list(database.id)) await branches.remove(branch);
  for (const each of await branches.snapshots(database.id)) await branches.removeSnapshot(each);
  await databases.remove(database);
}

async function removeExpired(
  { branches, now, changed }: HousekeepingParts,
  { id, projectId }: DatabaseRecord,
): Promise<number> {
  const expired = (await branches.list(id))
    .filter(({ expiresAt }) => expiresAt !== null && expiresAt <= now());
  for (const branch of expired) await branches.remove(branch);
  if (expired.length > 0) await changed(projectId);
  return expired.length;
}

async function removeEndedPreviews(
  { branches, deployments }: HousekeepingParts,
  database: DatabaseRecord,
): Promise<number> {
  const ended = await endedPreviews(database, { branches, deployments });
  for (const branch of ended) await branches.remove(branch);
  return ended.length;
}

async function keepDaily(parts: HousekeepingParts, database: DatabaseRecord): Promise<boolean> {
  const { snapshots, directory, door, nodes, startedAt, branches, onTrouble } = parts;
  const taken = (await branches.snapshots(database.id)).filter(({ kind }) => kind === "daily");
  const lastTaken = taken.at(-1)?.createdAt ?? 0;
  let asked: BranchRecord | undefined;
  const hasChanged = (branch: BranchRecord) => {
    asked = branch;
    // Clients of other nodes, and of an earlier process, are not known here.
    const changed = directory.touched(branch.id) || nodes.isShared || lastTaken < startedAt;
    // Those who stay connected, or connect from now on, may change it after the snapshot.
    if (door.sessionsOf(branch.storage?.id ?? "") === 0) directory.forgetTouch(branch.id);
    return changed;
  };
  try {
    return await snapshots.keepDaily(database, hasChanged);
  } catch (error) {
    if (asked !== undefined) directory.touch(asked.id);
    if (error instanceof LeaseLostError) throw error;
    onTrouble(`Cannot take the daily snapshot of database "${database.name}": ${error}`);
    return false;
  }
}

/** Removes what engines hold and no record names, a day after it was first seen. */
async function removeStrays(parts: HousekeepingParts): Promise<number> {
  const { engines, branches, now, onTrouble } = parts;
  let removed = 0;
  for (const kind of ["embedded", "server"] as const) {
    const engine = await engines.opened(kind);
    if (engine === undefined) continue;
    const found = await engine.list();
    // Read after the engine: a branch that is being made has its record before.
    const named = await branches.namedStorages();
    if (await branches.hasDamagedRecords()) return removed;
    for (const id of await branches.strays(kind)) {
      if (!found.includes(id)) await branches.forgetStray({ engine: kind, id });
    }
    for (const id of found) {
      const stray = { engine: kind, id };
      if (named.has(id)) {
        await branches.forgetStray(stray);
        continue;
      }
      if (now() - await branches.noteStray(stray, now()) < STRAY_MS) continue;
      await requireLease();
      onTrouble(`The branch ${id} of the ${kind} PostgreSQL belongs to no database: removing it`);
      await engine.remove(id);
      await branches.forgetStray(stray);
      removed++;
    }
  }
  return removed;
}
