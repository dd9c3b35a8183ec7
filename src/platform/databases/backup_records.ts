/**
 * Records of databases in a backup: which storage the backup must contain, and how the records
 * change when it is restored.
 *
 * A restored platform must not touch the databases of the original platform, which may still be
 * running. Instead, it creates its own databases, with new IDs.
 *
 * @module
 */
import type { Random } from "../../lib/clock.ts";
import { deleteKeys, keys, keysBelow, readAll } from "../core/store/mod.ts";
import { mintId } from "./names.ts";
import { type BranchRecord, branchRecord, type StorageRecord } from "./records.ts";
import type { RecordStore } from "../../store/mod.ts";

/** Lists the storage of all databases' branches, including deleted ones. */
export async function shownStorages(kv: RecordStore): Promise<StorageRecord[]> {
  const shown: StorageRecord[] = [];
  for await (const { value } of readAll(kv, keys.allDatabaseBranches(), branchRecord)) {
    if (value.storage !== null) shown.push(value.storage);
  }
  return shown;
}

/**
 * Lists the dumps of a restored backup from which branches are still to be created. `id` is the ID
 * of the original storage.
 */
export async function pendingDumps(kv: RecordStore): Promise<string[]> {
  const ids: string[] = [];
  for await (const { value } of readAll(kv, keys.allDatabaseBranches(), branchRecord)) {
    const source = value.task?.source;
    if (source?.type === "backup") ids.push(source.id);
  }
  return ids;
}

function restored(branch: BranchRecord, random: Random): BranchRecord {
  const { storage, task } = branch;
  if (storage?.engine === "server") {
    return {
      ...branch,
      storage: null,
      failure: null,
      task: {
        target: { engine: "server", id: mintId(random) },
        source: { type: "backup", id: storage.id },
        maker: null,
      },
    };
  }
  if (task === null) return branch;
  return {
    ...branch,
    task: { ...task, target: { ...task.target, id: mintId(random) }, maker: null },
  };
}

/**
 * Gives storage new IDs in a restored store. Deletes the records of snapshots and of storage to
 * remove, because backups contain neither.
 */
export async function adoptRecords(kv: RecordStore, random: Random): Promise<void> {
  for await (const { key, value } of readAll(kv, keys.allDatabaseBranches(), branchRecord)) {
    const adopted = restored(value, random);
    if (adopted !== value) await kv.set(key, adopted);
  }
  for (
    const prefix of [keys.allDatabaseSnapshots(), keys.databaseRemains(), keys.databaseStrays()]
  ) {
    await deleteKeys(kv, keysBelow(kv, prefix));
  }
}
