/** Finds the branch that belongs to the role with which a client signs in. @module */
import {
  type Branch,
  type BranchAccess,
  type BranchDirectory,
  type DatabaseEngine,
  parseVerifier,
} from "../../database/mod.ts";
import type { BranchStore } from "./branch_store.ts";
import type { DatabaseStore } from "./database_store.ts";
import type { Engines } from "./engines.ts";
import { type BranchRecord, type DatabaseRecord, stateOf, type StorageRecord } from "./records.ts";
import { SIZES } from "./sizes.ts";

/** PostgreSQL's code for `cannot_connect_now`. */
const CANNOT_CONNECT_NOW = "57P03";

export function engineBranch(
  { name, cuSize }: Pick<DatabaseRecord, "name" | "cuSize">,
  { role }: Pick<BranchRecord, "role">,
  { id }: StorageRecord,
): Branch {
  return { id, database: name, role, limits: SIZES[cuSize] };
}

interface BranchParts {
  readonly databases: Pick<DatabaseStore, "get">;
  readonly branches: Pick<BranchStore, "get" | "placeOf">;
  readonly engines: Pick<Engines, "open">;
}

/** Returns why clients are rejected; `undefined` if they are accepted. */
function refusalOf(
  database: DatabaseRecord,
  branch: BranchRecord,
): BranchAccess["refusal"] {
  const { name } = database;
  const where = branch.parent === null
    ? `Database "${name}"`
    : `Branch "${branch.name}" of database "${name}"`;
  const { state, reason } = stateOf(database, branch);
  const refuse = (message: string) => ({ sqlState: CANNOT_CONNECT_NOW, message });
  switch (state) {
    case "active":
      return undefined;
    case "creating":
      return refuse(
        branch.storage === null
          ? `${where} is being created. Try again in a moment`
          : `${where} is being moved. Try again in a moment`,
      );
    case "stopped":
      return refuse(`${where} is stopped. Start it: svc db start ${name}`);
    case "failed":
      return refuse(`${where} failed: ${reason}`);
    case "deleted":
      return refuse(`${where} is deleted. Restore it: svc db undelete ${database.id}`);
  }
}

export class RecordedBranches implements BranchDirectory {
  /**
   * Branches that clients have requested since this process started. These branches may have
   * changed.
   */
  readonly #touched = new Set<string>();

  readonly #parts: BranchParts;

  constructor(parts: BranchParts) {
    this.#parts = parts;
  }

  /**
   * Returns whether this process's clients may have changed a branch since `forgetTouch()`. Changes
   * from before this process started are unknown.
   */
  touched(branchId: string): boolean {
    return this.#touched.has(branchId);
  }

  touch(branchId: string): void {
    this.#touched.add(branchId);
  }

  forgetTouch(branchId: string): void {
    this.#touched.delete(branchId);
  }

  async find(role: string): Promise<BranchAccess | undefined> {
    const { databases, branches } = this.#parts;
    const place = await branches.placeOf(role);
    if (place === undefined) return undefined;
    const database = await databases.get(place.projectId, place.databaseId);
    const branch = await branches.get(place.databaseId, place.branch);
    if (database === undefined || branch?.role !== role) return undefined;
    return await this.accessTo(database, branch);
  }

  /** Returns a branch's connection details, or why there are none. */
  async accessTo(
    database: DatabaseRecord,
    branch: BranchRecord,
  ): Promise<BranchAccess | undefined> {
    const { storage } = branch;
    const verifier = parseVerifier(branch.verifier);
    if (verifier === undefined) return undefined;
    const refusal = refusalOf(database, branch);
    const kind = storage?.engine ?? branch.task?.target.engine ?? database.engine;
    const engine = await this.#parts.engines.open(kind);
    if (refusal === undefined) this.touch(branch.id);
    return {
      branch: engineBranch(database, branch, storage ?? { engine: kind, id: branch.id }),
      engine,
      verifier,
      refusal,
    };
  }
}

export interface OpenStorage {
  readonly engine: DatabaseEngine;
  readonly branch: Branch;
}
