/**
 * Branches and snapshots of databases in Deno KV, and what of engines is to be
 * removed.
 *
 * @module
 */
import * as z from "zod";
import type { SecretBox } from "../core/secrets/mod.ts";
import {
  commitWithRetries,
  hasDamagedRecords,
  keys,
  keysBelow,
  readAll,
  readRecord,
} from "../core/store/mod.ts";
import {
  type BranchRecord,
  branchRecord,
  type DatabaseRecord,
  databaseRecord,
  roleRecord,
  type SnapshotRecord,
  snapshotRecord,
  type StorageRecord,
  storageRecord,
} from "./records.ts";
import { passwordPlace } from "./names.ts";
import { MAX_BRANCHES } from "./sizes.ts";
import type { Lease, RecordStore } from "../../store/mod.ts";

type Place = z.infer<typeof roleRecord>;
export type BranchCreated = "created" | "name taken" | "too many" | "no database";

/** When a branch of an engine that no record names was first seen. */
const strayRecord = z.object({ seenAt: z.number() });

export class BranchStore {
  readonly #kv: RecordStore;

  constructor(kv: RecordStore) {
    this.#kv = kv;
  }

  async get(databaseId: string, name: string): Promise<BranchRecord | undefined> {
    return (await readRecord(this.#kv, keys.databaseBranch(databaseId, name), branchRecord))?.value;
  }

  /** The branches of a database, `main` first, then the oldest. */
  async list(databaseId: string): Promise<BranchRecord[]> {
    const all: BranchRecord[] = [];
    const prefix = keys.databaseBranches(databaseId);
    for await (const { value } of readAll(this.#kv, prefix, branchRecord)) all.push(value);
    return all.sort((one, other) =>
      Number(one.parent !== null) - Number(other.parent !== null) ||
      one.createdAt - other.createdAt
    );
  }

  /** Where the branch of a role is. */
  async placeOf(role: string): Promise<Place | undefined> {
    return (await readRecord(this.#kv, keys.databaseRole(role), roleRecord))?.value;
  }

  /** Stores a new branch, unless its database is deleted meanwhile. */
  async create(database: DatabaseRecord, branch: BranchRecord): Promise<BranchCreated> {
    const key = keys.databaseBranch(database.id, branch.name);
    const owner = keys.database(database.projectId, database.id);
    const { result } = await commitWithRetries<BranchCreated>(this.#kv, [key], async () => {
      const operation = this.#kv.atomic();
      const current = await readRecord(this.#kv, owner, databaseRecord);
      const taken = await this.#kv.get(key);
      if (current === undefined || current.value.deletedAt !== null) {
        return { operation, result: "no database" };
      }
      if (taken.versionstamp !== null) return { operation, result: "name taken" };
      if ((await this.list(database.id)).length >= MAX_BRANCHES) {
        return { operation, result: "too many" };
      }
      const { projectId, id: databaseId } = database;
      operation.check(taken, { key: owner, versionstamp: current.versionstamp })
        .set(key, branch)
        .set(
          keys.databaseRole(branch.role),
          roleRecord.parse({ projectId, databaseId, branch: branch.name }),
        );
      return { operation, result: "created" };
    }, { checked: [owner] });
    return result;
  }

  /**
   * Changes a branch; `undefined` where it is gone. A storage that it showed and
   * no longer shows, and one that is no longer being made, are to be removed.
   */
  async update(
    { databaseId, name }: Pick<BranchRecord, "databaseId" | "name">,
    change: (branch: BranchRecord) => BranchRecord,
  ): Promise<BranchRecord | undefined> {
    const key = keys.databaseBranch(databaseId, name);
    const { result } = await commitWithRetries(this.#kv, [key], async () => {
      const current = await readRecord(this.#kv, key, branchRecord);
      const operation = this.#kv.atomic();
      if (current === undefined) return { operation, result: undefined };
      const result = change(current.value);
      const kept = new Set(storagesOf(result).map(({ id }) => id));
      operation.check({ key, versionstamp: current.versionstamp }).set(key, result);
      for (const storage of storagesOf(current.value)) {
        if (!kept.has(storage.id)) operation.set(keys.databaseRemain(storage.id), storage);
      }
      return { operation, result };
    });
    return result;
  }

  /** Removes the record of a branch; its storages are to be removed. False where it is gone. */
  async remove(
    { databaseId, name }: Pick<BranchRecord, "databaseId" | "name">,
    lease?: Lease,
  ): Promise<boolean> {
    const key = keys.databaseBranch(databaseId, name);
    const { result } = await commitWithRetries(this.#kv, [key], async () => {
      const current = await readRecord(this.#kv, key, branchRecord);
      const operation = this.#kv.atomic();
      if (current === undefined) return { operation, result: false };
      operation.check({ key, versionstamp: current.versionstamp })
        .delete(key)
        .delete(keys.databaseRole(current.value.role));
      for (const storage of storagesOf(current.value)) {
        operation.set(keys.databaseRemain(storage.id), storage);
      }
      return { operation, result: true };
    }, { lease });
    return result;
  }

  /** The snapshots of a database, oldest first. */
  async snapshots(databaseId: string): Promise<SnapshotRecord[]> {
    const all: SnapshotRecord[] = [];
    const prefix = keys.databaseSnapshots(databaseId);
    for await (const { value } of readAll(this.#kv, prefix, snapshotRecord)) all.push(value);
    return all;
  }

  async snapshot(databaseId: string, id: string): Promise<SnapshotRecord | undefined> {
    const key = keys.databaseSnapshot(databaseId, id);
    return (await readRecord(this.#kv, key, snapshotRecord))?.value;
  }

  async saveSnapshot(snapshot: SnapshotRecord, lease?: Lease): Promise<void> {
    const key = keys.databaseSnapshot(snapshot.databaseId, snapshot.id);
    await this.#kv.atomic().set(key, snapshot).commit(lease);
  }

  /** Removes the record of a snapshot; its storage is to be removed. */
  async removeSnapshot(
    { databaseId, id, storage }: SnapshotRecord,
    lease?: Lease,
  ): Promise<void> {
    await this.#kv.atomic()
      .delete(keys.databaseSnapshot(databaseId, id))
      .set(keys.databaseRemain(storage.id), storage)
      .commit(lease);
  }

  /** Branches of engines that are to be removed. */
  async remains(): Promise<StorageRecord[]> {
    const all: StorageRecord[] = [];
    for await (const { value } of readAll(this.#kv, keys.databaseRemains(), storageRecord)) {
      all.push(value);
    }
    return all;
  }

  async forgetRemain({ id }: StorageRecord, lease?: Lease): Promise<void> {
    await this.#kv.atomic().delete(keys.databaseRemain(id)).commit(lease);
  }

  /** Ids of all branches of engines that some record names. */
  async namedStorages(): Promise<Set<string>> {
    const named = new Set((await this.remains()).map(({ id }) => id));
    for await (const { value } of readAll(this.#kv, keys.allDatabaseBranches(), branchRecord)) {
      for (const { id } of storagesOf(value)) named.add(id);
    }
    for await (const { value } of readAll(this.#kv, keys.allDatabaseSnapshots(), snapshotRecord)) {
      named.add(value.storage.id);
    }
    return named;
  }

  /** Whether damaged records are set aside, which may name branches of engines. */
  async hasDamagedRecords(): Promise<boolean> {
    return await hasDamagedRecords(this.#kv);
  }

  /** Notes that a branch of an engine has no record; returns since when that is known. */
  async noteStray({ engine, id }: StorageRecord, now: number, lease?: Lease): Promise<number> {
    const key = keys.databaseStray(engine, id);
    const known = await readRecord(this.#kv, key, strayRecord);
    if (known !== undefined) return known.value.seenAt;
    await this.#kv.atomic().set(key, { seenAt: now }).commit(lease);
    return now;
  }

  /** The branches of an engine that were seen without a record. */
  async strays(engine: StorageRecord["engine"]): Promise<string[]> {
    const prefix = keys.databaseStraysOf(engine);
    return (await Array.fromAsync(keysBelow(this.#kv, prefix))).map((key) => String(key.at(-1)));
  }

  async forgetStray({ engine, id }: StorageRecord, lease?: Lease): Promise<void> {
    await this.#kv.atomic().delete(keys.databaseStray(engine, id)).commit(lease);
  }

  /** Reseals passwords that are not sealed with the current key; returns how many. */
  async reseal(box: SecretBox): Promise<number> {
    let count = 0;
    for await (
      const { key, value } of readAll(this.#kv, keys.allDatabaseBranches(), branchRecord)
    ) {
      if (box.isCurrent(value.password)) continue;
      const place = passwordPlace(value.databaseId, value.id);
      const password = await box.seal(await box.open(value.password, place), place);
      await this.#kv.set(key, { ...value, password });
      count++;
    }
    return count;
  }
}

/** What engines hold for a branch, or are to hold. */
function storagesOf({ storage, task }: BranchRecord): StorageRecord[] {
  return [storage, task?.target ?? null].filter((each) => each !== null);
}
