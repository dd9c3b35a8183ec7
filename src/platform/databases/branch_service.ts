/** Copies, resets and removes branches of databases. @module */
import type { BodyOf } from "../../contract/endpoint.ts";
import type { endpoints } from "../../contract/endpoints.ts";
import { MAIN_BRANCH } from "../../contract/databases.ts";
import { Failure } from "../core/http/mod.ts";
import { engineBranch } from "./branch_access.ts";
import type { DatabaseServices } from "./database_service.ts";
import { toFailureOfEngine } from "./engines.ts";
import { mintBranch, mintId } from "./names.ts";
import {
  type BranchRecord,
  type DatabaseRecord,
  restorableSince,
  type SourceRecord,
  storageAt,
} from "./records.ts";
import { MAX_BRANCHES } from "./sizes.ts";
import type { Lease } from "../../store/mod.ts";

/**
 * How long a response waits for a copy, in milliseconds. After that, the response shows `creating`.
 */
const WAIT_MS = 20_000;

type NewBranch = BodyOf<typeof endpoints.createDatabaseBranch>;

async function atMost(work: Promise<void>, ms: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => timer = setTimeout(resolve, ms));
  await Promise.race([work, late]);
  clearTimeout(timer);
}

export class BranchService {
  readonly #services: DatabaseServices;
  readonly #waitMs: number;

  constructor(services: DatabaseServices, waitMs: number = WAIT_MS) {
    this.#services = services;
    this.#waitMs = waitMs;
  }

  /** Copies a branch in its current state or an earlier state. */
  async create(database: DatabaseRecord, wanted: NewBranch): Promise<BranchRecord> {
    const source = await this.#requireSource(database, wanted.from);
    const { now } = this.#services;
    const { at = null } = wanted;
    if (at !== null) await this.#requireHistory(database, source, Date.parse(at));
    return await this.add(database, {
      name: wanted.name,
      parent: wanted.from,
      source: at === null
        ? { type: "branch", name: wanted.from }
        : { type: "history", name: wanted.from, at: Date.parse(at) },
      expiresAt: wanted.ttlSeconds === undefined ? null : now() + wanted.ttlSeconds * 1000,
    });
  }

  /** Records a branch, starts creating it, and waits a while until it is ready. */
  async add(
    database: DatabaseRecord,
    wanted: Pick<BranchRecord, "name" | "parent"> & Partial<BranchRecord> & {
      readonly source: SourceRecord;
    },
  ): Promise<BranchRecord> {
    const { branches } = this.#services;
    const branch = await mintBranch(this.#services, database, wanted);
    switch (await branches.create(database, branch)) {
      case "no database":
        throw new Failure("not_found", `Database "${database.name}" was deleted`);
      case "name taken":
        throw new Failure("conflict", `Branch "${branch.name}" already exists`);
      case "too many":
        throw new Failure(
          "conflict",
          `Database "${database.name}" has the maximum of ${MAX_BRANCHES} branches: delete one first`,
        );
      case "created":
        return await this.settled(database, branch);
    }
  }

  async reset(database: DatabaseRecord, branch: BranchRecord): Promise<BranchRecord> {
    const { parent } = branch;
    if (parent === null) {
      throw new Failure("conflict", `Branch "${branch.name}" has no parent to reset to`);
    }
    await this.#requireSource(database, parent);
    const source: SourceRecord = branch.recipe === null
      ? { type: "branch", name: parent }
      : { type: "preview", name: parent, recipe: branch.recipe };
    return await this.replace(database, branch, source);
  }

  /** Creates new storage for a branch. The new storage then replaces the current one. */
  async replace(
    database: DatabaseRecord,
    branch: BranchRecord,
    source: SourceRecord,
    also: Partial<Pick<BranchRecord, "madeFor">> = {},
  ): Promise<BranchRecord> {
    const { branches, random } = this.#services;
    const target = { engine: database.engine, id: mintId(random) };
    const changed = await branches.update(branch, (current) => {
      if (current.task !== null && current.failure === null) {
        throw new Failure("conflict", `Branch "${branch.name}" is being created. Try again later`);
      }
      return { ...current, ...also, task: { target, source, maker: null }, failure: null };
    });
    if (changed === undefined) throw this.#gone(database, branch);
    return await this.settled(database, changed);
  }

  /** Abandons a failed task and its results. A branch without storage is removed. */
  async forgetFailure(database: DatabaseRecord, branch: BranchRecord): Promise<void> {
    if (branch.storage === null) return await this.remove(database, branch);
    const { branches, work } = this.#services;
    await branches.update(
      branch,
      (current) => current.failure === null ? current : { ...current, task: null, failure: null },
    );
    await work.alone(database.id, () => work.removeRemains());
  }

  async remove(database: DatabaseRecord, branch: BranchRecord, lease?: Lease): Promise<void> {
    if (branch.name === MAIN_BRANCH) {
      throw new Failure(
        "conflict",
        `Branch "${MAIN_BRANCH}" cannot be deleted: delete the database instead`,
      );
    }
    const { branches, work, changed } = this.#services;
    if (!await branches.remove(branch, lease)) throw this.#gone(database, branch);
    await changed(database.projectId);
    // Waits until no copy of the branch is in progress. If the removal fails, housekeeping retries
    // it.
    await work.alone(database.id, () => work.removeRemains(lease));
  }

  #gone(database: DatabaseRecord, { name }: BranchRecord): Failure {
    return new Failure(
      "not_found",
      `Branch "${name}" of database "${database.name}" does not exist`,
    );
  }

  async #requireSource(database: DatabaseRecord, name: string): Promise<BranchRecord> {
    const source = await this.#services.branches.get(database.id, name);
    if (source === undefined) {
      throw new Failure(
        "not_found",
        `Branch "${name}" of database "${database.name}" does not exist`,
      );
    }
    if (source.storage === null) {
      throw new Failure("conflict", `Branch "${name}" is not ready yet. Try again later`);
    }
    return source;
  }

  /** Rejects a time outside the branch's history. */
  async #requireHistory(
    database: DatabaseRecord,
    source: BranchRecord,
    at: number,
  ): Promise<void> {
    const { engines, now } = this.#services;
    const { engine: kind, name } = database;
    const storage = storageAt(source, at)!;
    const asked = new Date(at).toISOString();
    if (storage.engine !== kind) {
      throw new Failure(
        "conflict",
        `Cannot restore to ${asked}: at that time, branch "${source.name}" was on another engine`,
      );
    }
    const shown = engineBranch(database, source, storage);
    const facts = await engines.open(kind).then((engine) => engine.history(shown))
      .catch((error) => Promise.reject(toFailureOfEngine(error)));
    if (facts === undefined) {
      throw new Failure("conflict", `Database "${name}" keeps no history to restore from`, {
        hint:
          "Restore a snapshot instead. svc serve keeps a history unless --db-history-days is 0, " +
          "but not for databases on other PostgreSQL servers",
      });
    }
    if (facts.since === null) {
      const why = facts.problem ?? "Its first base backup is not ready yet. Try again later";
      throw new Failure("conflict", `Database "${name}" has no history yet: ${why}`);
    }
    const since = restorableSince(source, facts.since);
    if (at >= since && at <= now()) return;
    const [from, to] = [since, now()].map((time) => new Date(time).toISOString());
    throw new Failure(
      "conflict",
      `Cannot restore to ${asked}: the history covers ${from} to now (${to})`,
    );
  }

  /** Returns the branch once its task has finished, or after a while. */
  async settled(database: DatabaseRecord, branch: BranchRecord): Promise<BranchRecord> {
    const { branches, work } = this.#services;
    await atMost(work.run(database, branch.name), this.#waitMs);
    const current = await branches.get(database.id, branch.name);
    if (current === undefined) throw this.#gone(database, branch);
    return current;
  }
}
