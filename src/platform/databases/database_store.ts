/**
 * Databases in Deno KV.
 *
 * @module
 */
import * as z from "zod";
import { isUuid } from "../../lib/ids.ts";
import { commitWithRetries, keys, type Page, readAll, readRecord } from "../core/store/mod.ts";
import { type BranchRecord, type DatabaseRecord, databaseRecord, roleRecord } from "./records.ts";
import { MAX_DATABASES } from "./sizes.ts";
import type { Lease, RecordKey, RecordStore } from "../../store/mod.ts";

/** Where a deleted database's record is. */
const deletedRecord = z.object({ projectId: z.string() });

export type Created = "created" | "name taken" | "too many" | "no project";

export class DatabaseStore {
  readonly #kv: RecordStore;

  constructor(kv: RecordStore) {
    this.#kv = kv;
  }

  /** Stores a new database with its branch `main`. */
  async create(database: DatabaseRecord, main: BranchRecord): Promise<Created> {
    const { id, workspaceId, projectId, name } = database;
    const project = keys.project(workspaceId, projectId);
    const byName = keys.databaseByName(projectId, name);
    const { result } = await commitWithRetries<Created>(this.#kv, [byName], async () => {
      const operation = this.#kv.atomic();
      const [known, taken] = await this.#kv.getMany([project, byName]);
      if (known.versionstamp === null) return { operation, result: "no project" };
      if (taken.versionstamp !== null) return { operation, result: "name taken" };
      if (await this.#count(projectId) >= MAX_DATABASES) return { operation, result: "too many" };
      operation.check(known, taken)
        .set(keys.database(projectId, id), database)
        .set(byName, id)
        .set(keys.databaseBranch(id, main.name), main)
        .set(
          keys.databaseRole(main.role),
          roleRecord.parse({ projectId, databaseId: id, branch: main.name }),
        );
      return { operation, result: "created" };
    });
    return result;
  }

  async get(projectId: string, id: string): Promise<DatabaseRecord | undefined> {
    return (await readRecord(this.#kv, keys.database(projectId, id), databaseRecord))?.value;
  }

  /** Finds a database by id or name; by name only one that is not deleted. */
  async find(projectId: string, reference: string): Promise<DatabaseRecord | undefined> {
    if (isUuid(reference)) return await this.get(projectId, reference);
    const key = keys.databaseByName(projectId, reference);
    const id = (await readRecord(this.#kv, key, z.string()))?.value;
    return id === undefined ? undefined : await this.get(projectId, id);
  }

  /** The databases of a project that are not deleted, oldest first. */
  async list(projectId: string): Promise<DatabaseRecord[]> {
    const all: DatabaseRecord[] = [];
    for await (const { value } of readAll(this.#kv, keys.databases(projectId), databaseRecord)) {
      if (value.deletedAt === null) all.push(value);
    }
    return all;
  }

  /** One page of databases, whose ids are ordered by time. */
  page(
    databases: readonly DatabaseRecord[],
    { limit, cursor = "" }: { readonly limit: number; readonly cursor?: string | undefined },
  ): Page<DatabaseRecord> {
    const rest = databases.filter(({ id }) => id > cursor);
    const items = rest.slice(0, limit);
    return { items, nextCursor: rest.length > limit ? items.at(-1)!.id : null };
  }

  /** Deleted databases of a workspace, those whose project is gone as well. */
  async deleted(workspaceId: string): Promise<DatabaseRecord[]> {
    return await this.#deletedBelow(keys.deletedDatabases(workspaceId));
  }

  /** Deleted databases of the platform. */
  async allDeleted(): Promise<DatabaseRecord[]> {
    return await this.#deletedBelow(keys.allDeletedDatabases());
  }

  /** Every database, deleted ones as well. */
  async *all(): AsyncGenerator<DatabaseRecord> {
    for await (const { value } of readAll(this.#kv, keys.allDatabases(), databaseRecord)) {
      yield value;
    }
  }

  /** Whether there is any, deleted or not. */
  async isEmpty(): Promise<boolean> {
    for await (const _ of this.#kv.list({ prefix: keys.allDatabases() }, { limit: 1 })) {
      return false;
    }
    return true;
  }

  /** Changes a database; `undefined` where it is gone. */
  async update(
    { projectId, id }: Pick<DatabaseRecord, "projectId" | "id">,
    change: (database: DatabaseRecord) => DatabaseRecord,
  ): Promise<DatabaseRecord | undefined> {
    const key = keys.database(projectId, id);
    const { result } = await commitWithRetries(this.#kv, [key], async () => {
      const current = await readRecord(this.#kv, key, databaseRecord);
      const operation = this.#kv.atomic();
      if (current === undefined) return { operation, result: undefined };
      const result = change(current.value);
      operation.check({ key, versionstamp: current.versionstamp }).set(key, result);
      return { operation, result };
    });
    return result;
  }

  /** Marks a database as deleted, and frees its name. */
  async delete(database: DatabaseRecord, now: number): Promise<DatabaseRecord> {
    const { workspaceId, projectId, id } = database;
    const key = keys.database(projectId, id);
    const { result } = await commitWithRetries(this.#kv, [key], async () => {
      const current = await readRecord(this.#kv, key, databaseRecord);
      const operation = this.#kv.atomic();
      if (current === undefined || current.value.deletedAt !== null) {
        return { operation, result: current?.value ?? database };
      }
      const result = { ...current.value, deletedAt: now };
      operation.check({ key, versionstamp: current.versionstamp })
        .set(key, result)
        .delete(keys.databaseByName(projectId, result.name))
        .set(keys.deletedDatabase(workspaceId, id), { projectId });
      return { operation, result };
    });
    return result;
  }

  /** Brings a deleted database back, in its own project or in another one. */
  async undelete(
    database: DatabaseRecord,
    projectId: string,
  ): Promise<DatabaseRecord | "name taken" | "too many" | "gone"> {
    const { workspaceId, id, name } = database;
    const from = keys.database(database.projectId, id);
    const to = keys.database(projectId, id);
    const byName = keys.databaseByName(projectId, name);
    const branches = keys.databaseBranches(id);
    const { result } = await commitWithRetries<DatabaseRecord | "name taken" | "too many" | "gone">(
      this.#kv,
      [from, byName],
      async () => {
        const operation = this.#kv.atomic();
        const current = await readRecord(this.#kv, from, databaseRecord);
        const taken = await this.#kv.get(byName);
        if (current === undefined || current.value.deletedAt === null) {
          return { operation, result: "gone" };
        }
        if (taken.versionstamp !== null) return { operation, result: "name taken" };
        if (await this.#count(projectId) >= MAX_DATABASES) return { operation, result: "too many" };
        const result = { ...current.value, projectId, deletedAt: null };
        operation.check({ key: from, versionstamp: current.versionstamp }, taken)
          .delete(from)
          .set(to, result)
          .set(byName, id)
          .delete(keys.deletedDatabase(workspaceId, id));
        for await (const { key, value } of this.#kv.list<BranchRecord>({ prefix: branches })) {
          const place = { projectId, databaseId: id, branch: String(key.at(-1)) };
          operation.set(keys.databaseRole(value.role), roleRecord.parse(place));
        }
        return { operation, result };
      },
    );
    return result;
  }

  /** Removes the record of a deleted database, once nothing is left of it. */
  async remove({ workspaceId, projectId, id }: DatabaseRecord, lease?: Lease): Promise<void> {
    await this.#kv.atomic()
      .delete(keys.database(projectId, id))
      .delete(keys.deletedDatabase(workspaceId, id))
      .commit(lease);
  }

  async #count(projectId: string): Promise<number> {
    return (await this.list(projectId)).length;
  }

  async #deletedBelow(prefix: RecordKey): Promise<DatabaseRecord[]> {
    const found: DatabaseRecord[] = [];
    for await (const { key, value } of readAll(this.#kv, prefix, deletedRecord)) {
      const database = await this.get(value.projectId, String(key.at(-1)));
      if (database !== undefined) found.push(database);
    }
    return found;
  }
}
