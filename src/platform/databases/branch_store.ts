/**
 * Database branches and snapshots in Deno KV, and the list of what must be removed from engines.
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
  RecordType,
  Table,
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
import type { Lease, Operation, RecordStore } from "../../store/mod.ts";

type Place = z.infer<typeof roleRecord>;
type BranchCreated = "created" | "name taken" | "too many" | "no database";

const branches = new RecordType({
  root: keys.allDatabaseBranches(),
  schema: branchRecord,
  parts: ({ databaseId, name }) => [databaseId, name],
});

const snapshots = new RecordType({
  root: keys.allDatabaseSnapshots(),
  schema: snapshotRecord,
  parts: ({ databaseId, id }) => [databaseId, id],
});

const strayRecord = z.object({ seenAt: z.number() });

export class BranchStore {
  readonly #kv: RecordStore;
  readonly #branches;
  readonly snapshots;

  constructor(kv: RecordStore) {
    this.#kv = kv;
    this.#branches = new Table(kv, branches);
    this.snapshots = new Table(kv, snapshots);
  }

  get(databaseId: string, name: string): Promise<BranchRecord | undefined> {
    return this.#branches.find(databaseId, name);
  }

  /** Lists a database's branches: `main` first, then the others, oldest first. */
  async list(databaseId: string): Promise<BranchRecord[]> {
    return (await this.#branches.collect(databaseId)).sort((one, other) =>
      Number(one.parent !== null) - Number(other.parent !== null) ||
      one.createdAt - other.createdAt
    );
  }

  async placeOf(role: string): Promise<Place | undefined> {
    return (await readRecord(this.#kv, keys.databaseRole(role), roleRecord))?.value;
  }

  /** Stores a new branch, unless its database has been deleted in the meantime. */
  async create(database: DatabaseRecord, branch: BranchRecord): Promise<BranchCreated> {
    const key = branches.keyOf(branch);
    const owner = keys.database(database.projectId, database.id);
    return await commitWithRetries<BranchCreated>(this.#kv, [key, owner], async (operation) => {
      const current = await readRecord(this.#kv, owner, databaseRecord);
      const taken = await this.#kv.get(key);
      if (current === undefined || current.value.deletedAt !== null) {
        return "no database";
      }
      if (taken.versionstamp !== null) return "name taken";
      if ((await this.list(database.id)).length >= MAX_BRANCHES) {
        return "too many";
      }
      const { projectId, id: databaseId } = database;
      operation.check(taken, { key: owner, versionstamp: current.versionstamp })
        .set(key, branch)
        // A concurrent creation conflicts, and counts the branches again.
        .set(owner, current.value)
        .set(
          keys.databaseRole(branch.role),
          roleRecord.parse({ projectId, databaseId, branch: branch.name }),
        );
      return "created";
    });
  }

  /**
   * Changes a branch. Returns `undefined` if it does not exist. Notes that storage must be removed
   * if the record no longer names it.
   */
  async update(
    { databaseId, name }: Pick<BranchRecord, "databaseId" | "name">,
    change: (branch: BranchRecord) => BranchRecord,
  ): Promise<BranchRecord | undefined> {
    return await this.#branches.update([databaseId, name], change, {
      also(operation, after, before) {
        const kept = new Set(storagesOf(after).map(({ id }) => id));
        leaveRemains(operation, storagesOf(before).filter(({ id }) => !kept.has(id)));
      },
    });
  }

  /**
   * Removes a branch's record, and notes that its storage must be removed. Returns `false` if the
   * branch no longer exists.
   */
  async remove(
    { databaseId, name }: Pick<BranchRecord, "databaseId" | "name">,
    lease?: Lease,
  ): Promise<boolean> {
    const removed = await this.#branches.remove([databaseId, name], {
      lease,
      also(operation, branch) {
        leaveRemains(operation.delete(keys.databaseRole(branch.role)), storagesOf(branch));
      },
    });
    return removed !== undefined;
  }

  async saveSnapshot(snapshot: SnapshotRecord, lease?: Lease): Promise<void> {
    await this.#kv.atomic().set(snapshots.keyOf(snapshot), snapshot).commit(lease);
  }

  /** Removes a snapshot's record, and notes that its storage must be removed. */
  async removeSnapshot(snapshot: SnapshotRecord, lease?: Lease): Promise<void> {
    const operation = this.#kv.atomic();
    snapshots.drop(operation, snapshot);
    leaveRemains(operation, [snapshot.storage]);
    await operation.commit(lease);
  }

  /** Lists branches that must be removed from their engines. */
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

  /** Collects the IDs of all engine branches in the records. */
  async namedStorages(): Promise<Set<string>> {
    const named = new Set((await this.remains()).map(({ id }) => id));
    for await (const branch of this.#branches.all()) {
      for (const { id } of storagesOf(branch)) named.add(id);
    }
    for await (const { storage } of this.snapshots.all()) named.add(storage.id);
    return named;
  }

  /**
   * Returns whether damaged records were set aside. These records may refer to engines' branches.
   */
  async hasDamagedRecords(): Promise<boolean> {
    return await hasDamagedRecords(this.#kv);
  }

  /** Notes that an engine's branch has no record, and returns when this was first noticed. */
  async noteStray({ engine, id }: StorageRecord, now: number, lease?: Lease): Promise<number> {
    const key = keys.databaseStray(engine, id);
    const known = await readRecord(this.#kv, key, strayRecord);
    if (known !== undefined) return known.value.seenAt;
    await this.#kv.atomic().set(key, { seenAt: now }).commit(lease);
    return now;
  }

  /** Lists an engine's branches that were seen without a record. */
  async strays(engine: StorageRecord["engine"]): Promise<string[]> {
    const prefix = keys.databaseStraysOf(engine);
    return (await Array.fromAsync(keysBelow(this.#kv, prefix))).map((key) => String(key.at(-1)));
  }

  async forgetStray({ engine, id }: StorageRecord, lease?: Lease): Promise<void> {
    await this.#kv.atomic().delete(keys.databaseStray(engine, id)).commit(lease);
  }

  async reseal(box: SecretBox): Promise<number> {
    return await this.#branches.rewrite(async (branch) => {
      const password = await box.renew(
        branch.password,
        passwordPlace(branch.databaseId, branch.id),
      );
      return password === branch.password ? branch : { ...branch, password };
    });
  }
}

function storagesOf({ storage, task }: BranchRecord): StorageRecord[] {
  return [storage, task?.target ?? null].filter((each) => each !== null);
}

/** Notes in a commit that storage must be removed. */
function leaveRemains(operation: Operation, storages: readonly StorageRecord[]): void {
  for (const storage of storages) operation.set(keys.databaseRemain(storage.id), storage);
}
