/**
 * One round of housekeeping: removes expired databases and leftovers, and takes daily snapshots.
 *
 * @module
 */
import { formatCount } from "../../lib/format.ts";
import type { DeploymentStore } from "../deployments/mod.ts";
import type { RecordedBranches } from "./branch_access.ts";
import type { DatabaseServices } from "./database_service.ts";
import { endedPreviews } from "./preview_branches.ts";
import type { BranchRecord, DatabaseRecord } from "./records.ts";
import { GRACE_MS } from "./sizes.ts";
import type { SnapshotService } from "./snapshot_service.ts";
import { type Lease, LeaseLostError, type Led } from "../../store/mod.ts";
import type { BranchStore } from "./branch_store.ts";
import type { BranchWork } from "./branch_work.ts";
import type { DatabaseStore } from "./database_store.ts";

/** How long to keep an engine's branch that has no record, in milliseconds. */
const STRAY_MS = 24 * 60 * 60 * 1000;

type LedBranches = Led<
  Pick<
    BranchStore,
    | "forgetStray"
    | "hasDamagedRecords"
    | "list"
    | "namedStorages"
    | "noteStray"
    | "remove"
    | "removeSnapshot"
    | "snapshots"
    | "strays"
  >
>;

interface HousekeepingParts
  extends Pick<DatabaseServices, "changed" | "door" | "engines" | "nodes" | "now"> {
  readonly databases: Led<Pick<DatabaseStore, "all" | "allDeleted" | "remove">>;
  readonly branches: LedBranches;
  readonly work: Led<Pick<BranchWork, "removeRemains">>;
  readonly snapshots: Led<Pick<SnapshotService, "keepDaily">>;
  readonly directory: RecordedBranches;
  readonly deployments: Pick<DeploymentStore, "all">;
  /** When this process started. It does not know what happened to branches before that. */
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

function report({ removed, expired, ended, kept, strays }: Counts): string[] {
  return [
    removed > 0 ? `permanently removed ${formatCount(removed, "deleted database")}` : "",
    expired > 0
      ? `removed ${expired} expired database ${expired === 1 ? "branch" : "branches"}`
      : "",
    ended > 0 ? `removed database branches of ${formatCount(ended, "ended preview")}` : "",
    kept > 0 ? `took ${formatCount(kept, "daily database snapshot")}` : "",
    strays > 0 ? `removed ${formatCount(strays, "stray database")} from PostgreSQL engines` : "",
  ].filter((line) => line !== "");
}

/** Runs the round. Returns a log line for each action. */
export async function keepDatabases(
  parts: HousekeepingParts,
  signal: AbortSignal,
  lease: Lease,
): Promise<readonly string[]> {
  const { databases, work, now } = parts;
  let [removed, expired, ended, kept] = [0, 0, 0, 0];
  for (const database of await databases.allDeleted()) {
    if (signal.aborted) return [];
    if (now() - (database.deletedAt ?? 0) < GRACE_MS) continue;
    await removeDatabase(parts, database, lease);
    removed++;
  }
  for await (const database of databases.all()) {
    if (signal.aborted) break;
    if (database.deletedAt !== null) continue;
    expired += await removeExpired(parts, database, lease);
    ended += await removeEndedPreviews(parts, database, lease);
    if (await keepDaily(parts, database, lease)) kept++;
  }
  await work.removeRemains(lease);
  const strays = signal.aborted ? 0 : await removeStrays(parts, lease);
  return report({ removed, expired, ended, kept, strays });
}

/** Removes all records of a database, and notes that its storage must be removed. */
async function removeDatabase(
  { databases, branches }: Pick<HousekeepingParts, "databases" | "branches">,
  database: DatabaseRecord,
  lease: Lease,
): Promise<void> {
  for (const branch of await branches.list(database.id)) await branches.remove(branch, lease);
  for (const each of await branches.snapshots.collect(database.id)) {
    await branches.removeSnapshot(each, lease);
  }
  await databases.remove(database, lease);
}

async function removeExpired(
  { branches, now, changed }: HousekeepingParts,
  { id, projectId }: DatabaseRecord,
  lease: Lease,
): Promise<number> {
  const expired = (await branches.list(id))
    .filter(({ expiresAt }) => expiresAt !== null && expiresAt <= now());
  for (const branch of expired) await branches.remove(branch, lease);
  if (expired.length > 0) await changed(projectId);
  return expired.length;
}

async function removeEndedPreviews(
  { branches, deployments }: HousekeepingParts,
  database: DatabaseRecord,
  lease: Lease,
): Promise<number> {
  const ended = await endedPreviews(database, { branches, deployments });
  for (const branch of ended) await branches.remove(branch, lease);
  return ended.length;
}

async function keepDaily(
  parts: HousekeepingParts,
  database: DatabaseRecord,
  lease: Lease,
): Promise<boolean> {
  const { snapshots, directory, door, nodes, startedAt, branches, onTrouble } = parts;
  const taken = (await branches.snapshots.collect(database.id)).filter(({ kind }) =>
    kind === "daily"
  );
  const lastTaken = taken.at(-1)?.createdAt ?? 0;
  let asked: BranchRecord | undefined;
  const hasChanged = (branch: BranchRecord) => {
    asked = branch;
    // This process knows nothing about the clients of other nodes and of earlier processes.
    const changed = directory.touched(branch.id) || nodes.isShared || lastTaken < startedAt;
    // Clients that are still connected, or that connect from now on, may change the branch after
    // the snapshot.
    if (door.sessionsOf(branch.storage?.id ?? "") === 0) directory.forgetTouch(branch.id);
    return changed;
  };
  try {
    return await snapshots.keepDaily(database, hasChanged, lease);
  } catch (error) {
    if (asked !== undefined) directory.touch(asked.id);
    if (error instanceof LeaseLostError) throw error;
    onTrouble(`Cannot take the daily snapshot of database "${database.name}": ${error}`);
    return false;
  }
}

/** Removes engines' branches without records, a day after such a branch was first seen. */
async function removeStrays(parts: HousekeepingParts, lease: Lease): Promise<number> {
  const { engines, branches, now, onTrouble } = parts;
  let removed = 0;
  for (const kind of ["embedded", "server"] as const) {
    const engine = await engines.opened(kind);
    if (engine === undefined) continue;
    const found = await engine.list();
    // The records are read after the engine's list, because a new branch is recorded before it is
    // created.
    const named = await branches.namedStorages();
    if (await branches.hasDamagedRecords()) return removed;
    for (const id of await branches.strays(kind)) {
      if (!found.includes(id)) await branches.forgetStray({ engine: kind, id }, lease);
    }
    for (const id of found) {
      const stray = { engine: kind, id };
      if (named.has(id)) {
        await branches.forgetStray(stray, lease);
        continue;
      }
      if (now() - await branches.noteStray(stray, now(), lease) < STRAY_MS) continue;
      await lease.requireHeld();
      onTrouble(`The branch ${id} of the ${kind} PostgreSQL belongs to no database: removing it`);
      await engine.remove(id);
      await branches.forgetStray(stray, lease);
      removed++;
    }
  }
  return removed;
}
