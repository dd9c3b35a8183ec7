/**
 * Creates storage for branches, and removes unused storage. The records list the work to do, and
 * each step can be repeated. After a crash, the next start continues the work.
 *
 * @module
 */
import type { Clock } from "../../lib/clock.ts";
import { KeyedLock } from "../../lib/keyed_lock.ts";
import { engineBranch, type OpenStorage } from "./branch_access.ts";
import type { BranchStore } from "./branch_store.ts";
import { Claims, type Nodes } from "../core/nodes/mod.ts";
import type { DatabaseStore } from "./database_store.ts";
import { type Engines, reasonOf } from "./engines.ts";
import { maskBranch } from "./mask/mask_branch.ts";
import {
  type BranchRecord,
  type DatabaseRecord,
  MAX_FORMER,
  recipeAfter,
  type SnapshotRecord,
  type SourceRecord,
  storageAt,
  type StorageRecord,
  taskVerb,
} from "./records.ts";
import type { RestoredDumps } from "./restored_dumps.ts";
import { makeFromScript, type Transfer } from "./transfer.ts";
import { type Lease, LeaseLostError } from "../../store/mod.ts";

interface WorkParts {
  readonly databases: Pick<DatabaseStore, "get">;
  readonly branches: BranchStore;
  readonly engines: Engines;
  /** Closes the client sessions on one of an engine's branches. */
  endSessions(storageId: string): Promise<void>;
  /** Closes sessions, and rejects new ones until the returned function is called. */
  closeBranch(storageId: string): Promise<() => void>;
  readonly transfer: Transfer;
  readonly dumps: RestoredDumps;
  /** Returns the key for the hashes in a workspace's masked branches. */
  maskKey(workspaceId: string): Promise<Uint8Array>;
  /**
   * The processes that share the records. A task belongs to one process for as long as that process
   * is alive.
   */
  readonly nodes: Pick<Nodes, "instance" | "isAlive">;
  /** Called when a branch's task has failed or succeeded. */
  onEnded(database: DatabaseRecord, change: BranchChange): Promise<void>;
  readonly now: Clock;
  onTrouble(message: string): void;
}

type Claimed = BranchRecord & { readonly task: NonNullable<BranchRecord["task"]> };

/** A branch's record before and after a task. */
export interface BranchChange {
  readonly before: Claimed;
  readonly after: BranchRecord;
}

const isClaimed = (branch: BranchRecord): branch is Claimed => branch.task !== null;

type PreviewSource = Extract<SourceRecord, { readonly type: "preview" }>;

/** Thrown if a source no longer exists, or does not exist yet. */
class SourceMissing extends Error {}

export class BranchWork {
  readonly #locks = new KeyedLock();
  readonly #running = new Set<Promise<void>>();
  readonly #claims: Claims;
  #closed = false;

  readonly #parts: WorkParts;

  constructor(parts: WorkParts) {
    this.#parts = parts;
    this.#claims = new Claims(parts.nodes);
  }

  /**
   * Runs `work` with exclusive access to a database. `work` must not call this for the same
   * database.
   */
  alone<T>(databaseId: string, work: () => Promise<T>): Promise<T> {
    return this.#locks.run(databaseId, work);
  }

  /**
   * Runs a branch's task after earlier work. Never rejects, because the outcome is stored in
   * the record.
   */
  run(database: Pick<DatabaseRecord, "id" | "projectId">, branch: string): Promise<void> {
    const running = this.alone(database.id, () => this.#run(database, branch))
      .catch((error) => this.#parts.onTrouble(`Cannot complete a database task: ${error}`))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
    return running;
  }

  /** Removes one of an engine's branches, and then the note that the branch must be removed. */
  async remove(storage: StorageRecord, lease?: Lease): Promise<void> {
    const { engines, branches, endSessions } = this.#parts;
    const engine = await engines.open(storage.engine);
    await lease?.requireHeld();
    await endSessions(storage.id);
    await engine.remove(storage.id);
    await branches.forgetRemain(storage, lease);
  }

  /**
   * Removes unused storage. Failures are retried later.
   *
   * @throws {LeaseLostError} in a leader's round.
   */
  async removeRemains(lease?: Lease): Promise<void> {
    for (const storage of await this.#parts.branches.remains()) {
      if (this.#closed) return;
      await this.remove(storage, lease).catch((error) => {
        if (error instanceof LeaseLostError) throw error;
        this.#parts.onTrouble(`Cannot remove the database branch ${storage.id}: ${error}`);
      });
    }
  }

  /** Copies a branch's current content. Returns its size on disk, in bytes. */
  async copyTo(
    database: DatabaseRecord,
    branch: BranchRecord,
    snapshot: SnapshotRecord,
  ): Promise<number> {
    const { storage: source } = branch;
    if (source === null) throw new SourceMissing(`Branch "${branch.name}" does not exist yet`);
    const target = engineBranch(database, snapshot, snapshot.storage);
    const engine = await this.#parts.engines.open(source.engine);
    await engine.copy(engineBranch(database, branch, source), target);
    return await engine.sizeOf(target);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#running);
  }

  async #run(place: Pick<DatabaseRecord, "id" | "projectId">, name: string): Promise<void> {
    const { databases, branches } = this.#parts;
    if (this.#closed) return;
    const database = await databases.get(place.projectId, place.id);
    const found = await branches.get(place.id, name);
    if (database === undefined || database.deletedAt !== null) return;
    if (found === undefined || found.task === null || found.failure !== null) return;
    const branch = await this.#claim(found);
    if (branch === undefined) return;
    try {
      await this.#make(database, branch, branch.task);
    } catch (error) {
      const reason = error instanceof Error ? error.stack ?? error.message : error;
      this.#parts.onTrouble(
        `Cannot ${taskVerb(branch)} the branch "${name}" of database "${database.name}": ${reason}`,
      );
      const failure = error instanceof SourceMissing ? error.message : reasonOf(error);
      await this.#end(database, branch, (current) => ({
        ...current,
        failure,
        isFailing: true,
        // Any node can retry the task.
        task: current.task && { ...current.task, maker: null },
      }));
      return;
    }
    const { target, source } = branch.task;
    const now = this.#parts.now();
    await this.#end(database, branch, (current) => ({
      ...current,
      storage: target,
      former: current.storage === null
        ? current.former
        : [...current.former, { ...current.storage, until: now }].slice(-MAX_FORMER),
      task: null,
      failure: null,
      isFailing: false,
      recipe: recipeAfter(source, current),
      madeAt: current.storage === null ? now : current.madeAt,
      resetAt: current.storage === null || source.type === "move" ? current.resetAt : now,
    }));
    if (source.type === "backup") await this.#parts.dumps.remove(source.id);
    await this.removeRemains();
  }

  /** Claims a branch's task. Returns `undefined` if another live process has it. */
  async #claim(branch: BranchRecord): Promise<Claimed | undefined> {
    const { branches } = this.#parts;
    const maker = branch.task?.maker ?? null;
    const target = branch.task?.target.id;
    return await this.#claims.takeOver(maker, async (mine) => {
      const claimed = await branches.update(branch, (current) => {
        const { task } = current;
        if (task === null || task.target.id !== target || task.maker !== maker) return current;
        return { ...current, task: { ...task, maker: mine } };
      });
      if (claimed === undefined || !isClaimed(claimed)) return undefined;
      const { task } = claimed;
      return task.target.id === target && task.maker === mine ? claimed : undefined;
    });
  }

  async #end(
    database: DatabaseRecord,
    branch: Claimed,
    change: (branch: BranchRecord) => BranchRecord,
  ): Promise<void> {
    const { target, maker } = branch.task;
    let isSame = false;
    const changed = await this.#parts.branches.update(branch, (current) => {
      isSame = current.id === branch.id && current.task?.target.id === target.id &&
        current.task.maker === maker;
      return isSame ? change(current) : current;
    });
    if (changed !== undefined) {
      await this.#parts.onEnded(database, { before: branch, after: changed });
    }
    // Another node has removed the branch in the meantime, or has given it another task.
    const isShown = changed?.task?.target.id === target.id || changed?.storage?.id === target.id;
    if (!isSame && !isShown) await this.remove(target);
  }

  async #make(
    database: DatabaseRecord,
    branch: BranchRecord,
    { target: storage, source }: NonNullable<BranchRecord["task"]>,
  ): Promise<void> {
    const { engines } = this.#parts;
    const engine = await engines.open(storage.engine);
    const target = engineBranch(database, branch, storage);
    if (source.type === "empty") return await engine.create(target);
    if (source.type === "preview") {
      return await this.#makePreview({ engine, branch: target }, database, branch, source);
    }
    if (source.type === "backup") {
      return await this.#parts.dumps.restore(source.id, { engine, branch: target });
    }
    const from = await this.#sourceOf(database, branch);
    if (source.type === "history") {
      if (from.storage.engine !== storage.engine) {
        throw new SourceMissing(`At that time, "${source.name}" was on another engine`);
      }
      return await engine.restore(
        engineBranch(database, from, from.storage),
        target,
        source.at,
      );
    }
    if (from.storage.engine === storage.engine) {
      await engine.copy(engineBranch(database, from, from.storage), target);
      return;
    }
    const open = {
      engine: await engines.open(from.storage.engine),
      branch: engineBranch(database, from, from.storage),
    };
    // The dump contains all of the clients' acknowledged writes, because their sessions are closed
    // before the dump starts.
    const letIn = source.type === "move"
      ? await this.#parts.closeBranch(from.storage.id)
      : undefined;
    try {
      await this.#parts.transfer(open, { engine, branch: target });
    } catch (error) {
      letIn?.();
      throw error;
    }
  }

  /** Creates a preview's initial content. If that fails, removes the content again. */
  async #makePreview(
    target: OpenStorage,
    database: DatabaseRecord,
    branch: BranchRecord,
    { recipe: { preview, mask } }: PreviewSource,
  ): Promise<void> {
    const { engine, branch: { id } } = target;
    // A killed process may have left an unmasked copy.
    await engine.remove(id);
    try {
      if (preview === "empty") return await engine.create(target.branch);
      const from = await this.#sourceOf(database, branch);
      const source = {
        engine: await this.#parts.engines.open(from.storage.engine),
        branch: engineBranch(database, from, from.storage),
      };
      if (preview === "schema") {
        const schema = source.engine.dump(source.branch, { schemaOnly: true });
        return await makeFromScript(schema, target);
      }
      if (source.engine === engine) await engine.copy(source.branch, target.branch);
      else await this.#parts.transfer(source, target);
      await maskBranch(target, mask, await this.#parts.maskKey(database.workspaceId));
    } catch (error) {
      await engine.remove(id);
      throw error;
    }
  }

  /** Returns the current source of a branch. */
  async #sourceOf(
    { id }: DatabaseRecord,
    branch: BranchRecord,
  ): Promise<{ readonly role: string; readonly storage: StorageRecord }> {
    const source = branch.task!.source;
    switch (source.type) {
      case "snapshot": {
        const snapshot = await this.#parts.branches.snapshots.find(id, source.id);
        if (snapshot === undefined) throw new SourceMissing("The snapshot was removed");
        return snapshot;
      }
      case "preview":
      case "history":
      case "branch": {
        const found = await this.#parts.branches.get(id, source.name);
        const storage = found && source.type === "history"
          ? storageAt(found, source.at)
          : found?.storage;
        if (found === undefined || storage === undefined || storage === null) {
          throw new SourceMissing(`The source branch "${source.name}" was deleted`);
        }
        return { role: found.role, storage };
      }
      default: {
        const { role, storage } = branch;
        if (storage === null) throw new SourceMissing("There is nothing to move");
        return { role, storage };
      }
    }
  }
}
