/** Takes snapshots of branches, on request and daily, and restores them. @module */
import type { DatabaseSnapshot } from "../../contract/database_branches.ts";
import { MAIN_BRANCH } from "../../contract/databases.ts";
import { uuidV7 } from "../../lib/ids.ts";
import { Failure } from "../core/http/mod.ts";
import { Claims } from "../core/nodes/mod.ts";
import type { BranchService } from "./branch_service.ts";
import type { DatabaseServices } from "./database_service.ts";
import { toFailureOfEngine } from "./engines.ts";
import { mintId, mintRole } from "./names.ts";
import type { BranchRecord, DatabaseRecord, SnapshotRecord } from "./records.ts";
import { KEPT_DAILY_SNAPSHOTS, MAX_MANUAL_SNAPSHOTS } from "./sizes.ts";
import type { Lease, Led } from "../../store/mod.ts";
import type { BranchStore } from "./branch_store.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

export function snapshotToWire(snapshot: SnapshotRecord): DatabaseSnapshot {
  const { id, branch, sizeBytes, kind, createdAt } = snapshot;
  return { id, branch, sizeBytes, kind, createdAt: new Date(createdAt).toISOString() };
}

export class SnapshotService {
  /** Snapshots that this process is taking. */
  readonly #taking = new Set<string>();

  readonly #services: DatabaseServices;
  readonly #branchService: BranchService;

  constructor(services: DatabaseServices, branchService: BranchService) {
    this.#services = services;
    this.#branchService = branchService;
  }

  /** Complete snapshots, newest first. */
  async list(database: DatabaseRecord): Promise<SnapshotRecord[]> {
    const all = await this.#services.branches.snapshots.collect(database.id);
    return all.filter(({ ready }) => ready).reverse();
  }

  async require(database: DatabaseRecord, id: string): Promise<SnapshotRecord> {
    const snapshot = await this.#services.branches.snapshots.find(database.id, id);
    if (snapshot?.ready) return snapshot;
    throw new Failure("not_found", `Snapshot ${id} of database "${database.name}" does not exist`);
  }

  /** Saves the current state of a branch. */
  async create(database: DatabaseRecord, branch: BranchRecord): Promise<SnapshotRecord> {
    const manual = (await this.list(database)).filter(({ kind }) => kind === "manual");
    if (manual.length >= MAX_MANUAL_SNAPSHOTS) {
      throw new Failure(
        "conflict",
        `Database "${database.name}" has the maximum of ${MAX_MANUAL_SNAPSHOTS} manual snapshots: delete one first`,
      );
    }
    return await this.#take(database, branch, { kind: "manual" });
  }

  /** Restores a snapshot to an existing or new branch. */
  async restore(
    database: DatabaseRecord,
    snapshot: SnapshotRecord,
    name: string,
  ): Promise<BranchRecord> {
    const source = { type: "snapshot" as const, id: snapshot.id };
    const branch = await this.#services.branches.get(database.id, name);
    if (branch !== undefined) return await this.#branchService.replace(database, branch, source);
    return await this.#branchService.add(database, { name, parent: snapshot.branch, source });
  }

  async remove(snapshot: SnapshotRecord): Promise<void> {
    const { branches, work } = this.#services;
    await branches.removeSnapshot(snapshot);
    await work.alone(snapshot.databaseId, () => work.removeRemains());
  }

  /**
   * Takes the daily snapshot of a `main` branch that may have changed, and removes the oldest
   * snapshots. Returns whether it took one.
   */
  async keepDaily(
    database: DatabaseRecord,
    hasChanged: (branch: BranchRecord) => boolean,
    lease: Lease,
  ): Promise<boolean> {
    const { now } = this.#services;
    const branches: Led<Pick<BranchStore, "get" | "removeSnapshot" | "snapshots">> =
      this.#services.branches;
    const all = await branches.snapshots.collect(database.id);
    // A platform that was killed or lost its store has left an incomplete snapshot.
    for (const each of all.filter(({ ready }) => !ready)) {
      if (!await this.#isTaken(each)) await branches.removeSnapshot(each, lease);
    }
    const daily = all.filter(({ kind, ready }) => kind === "daily" && ready);
    for (const old of daily.slice(0, Math.max(0, daily.length - KEPT_DAILY_SNAPSHOTS))) {
      await branches.removeSnapshot(old, lease);
    }
    const main = await branches.get(database.id, MAIN_BRANCH);
    const last = daily.at(-1)?.createdAt ?? database.createdAt;
    if (main === undefined || main.storage === null || main.task !== null) return false;
    if (now() - last < DAY_MS || !hasChanged(main)) return false;
    await this.#take(database, main, { kind: "daily", lease });
    return true;
  }

  /** Whether a live process is still taking the snapshot. */
  async #isTaken({ id, maker }: SnapshotRecord): Promise<boolean> {
    const { nodes } = this.#services;
    if (maker === nodes.instance) return this.#taking.has(id);
    return await new Claims(nodes).isHeldElsewhere(maker);
  }

  async #take(
    database: DatabaseRecord,
    { name }: BranchRecord,
    { kind, lease }: { readonly kind: SnapshotRecord["kind"]; readonly lease?: Lease },
  ): Promise<SnapshotRecord> {
    const { branches, nodes, work, random, now } = this.#services;
    return await work.alone(database.id, async () => {
      const branch = await branches.get(database.id, name);
      if (branch === undefined || branch.storage === null) {
        throw new Failure("conflict", `Branch "${name}" is not ready yet. Try again later`);
      }
      const snapshot: SnapshotRecord = {
        id: uuidV7(now, random),
        databaseId: database.id,
        branch: name,
        storage: { engine: branch.storage.engine, id: mintId(random) },
        role: mintRole(database.name, random),
        kind,
        ready: false,
        maker: nodes.instance,
        sizeBytes: 0,
        createdAt: now(),
      };
      this.#taking.add(snapshot.id);
      try {
        await branches.saveSnapshot(snapshot, lease);
        const sizeBytes = await work.copyTo(database, branch, snapshot);
        const ready = { ...snapshot, sizeBytes, ready: true };
        await branches.saveSnapshot(ready, lease);
        return ready;
      } catch (error) {
        // The snapshot belongs to this process, even if another process is already the leader.
        await branches.removeSnapshot(snapshot);
        throw toFailureOfEngine(error);
      } finally {
        this.#taking.delete(snapshot.id);
      }
    });
  }
}
