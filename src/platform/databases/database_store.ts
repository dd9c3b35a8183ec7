/** Databases in Deno KV. @module */
import { isUuid } from "../../lib/ids.ts";
import {
  commitWithRetries,
  countBelow,
  keys,
  type Page,
  type PageRange,
  RecordType,
  Table,
} from "../core/store/mod.ts";
import { type BranchRecord, type DatabaseRecord, databaseRecord, roleRecord } from "./records.ts";
import { MAX_DATABASES } from "./sizes.ts";
import type { Lease, RecordStore } from "../../store/mod.ts";

const databases = new RecordType({
  root: keys.allDatabases(),
  schema: databaseRecord,
  parts: ({ projectId, id }) => [projectId, id],
  indices: {
    name: {
      entries: ({ projectId, name, deletedAt }) =>
        deletedAt === null ? [keys.databaseByName(projectId, name)] : [],
      holds: "id",
      unique: true,
    },
    deleted: {
      entries: ({ workspaceId, id, deletedAt }) =>
        deletedAt === null ? [] : [keys.deletedDatabase(workspaceId, id)],
      holds: ["projectId", "id"],
    },
  },
});

export type Created = "created" | "name taken" | "too many" | "no project";

export class DatabaseStore {
  readonly #kv: RecordStore;
  readonly #databases;

  constructor(kv: RecordStore) {
    this.#kv = kv;
    this.#databases = new Table(kv, databases);
  }

  async create(database: DatabaseRecord, main: BranchRecord): Promise<Created> {
    const { id, workspaceId, projectId, name } = database;
    const project = keys.project(workspaceId, projectId);
    const byName = keys.databaseByName(projectId, name);
    return await commitWithRetries<Created>(this.#kv, [byName], async (operation) => {
      const [known, taken] = await this.#kv.getMany([project, byName]);
      if (known.versionstamp === null) return "no project";
      if (taken.versionstamp !== null) return "name taken";
      if (await this.#count(projectId) >= MAX_DATABASES) return "too many";
      databases.insert(operation.check(known), database);
      operation
        .set(keys.databaseBranch(id, main.name), main)
        .set(
          keys.databaseRole(main.role),
          roleRecord.parse({ projectId, databaseId: id, branch: main.name }),
        );
      return "created";
    });
  }

  get(projectId: string, id: string): Promise<DatabaseRecord | undefined> {
    return this.#databases.find(projectId, id);
  }

  /** Finds a database by ID or name. Deleted databases can be found only by ID. */
  async find(projectId: string, reference: string): Promise<DatabaseRecord | undefined> {
    if (isUuid(reference)) return await this.get(projectId, reference);
    return await this.#databases.findBy("name", keys.databaseByName(projectId, reference));
  }

  async list(projectId: string): Promise<DatabaseRecord[]> {
    return (await this.#databases.collect(projectId)).filter(({ deletedAt }) => deletedAt === null);
  }

  page(
    databases: readonly DatabaseRecord[],
    { limit, cursor = "" }: PageRange,
  ): Page<DatabaseRecord> {
    const rest = databases.filter(({ id }) => id > cursor);
    const items = rest.slice(0, limit);
    return { items, nextCursor: rest.length > limit ? items.at(-1)!.id : null };
  }

  async deleted(workspaceId: string): Promise<DatabaseRecord[]> {
    const prefix = keys.deletedDatabases(workspaceId);
    return await Array.fromAsync(this.#databases.allBy("deleted", prefix));
  }

  async allDeleted(): Promise<DatabaseRecord[]> {
    return await Array.fromAsync(this.#databases.allBy("deleted", keys.allDeletedDatabases()));
  }

  all(): AsyncGenerator<DatabaseRecord> {
    return this.#databases.all();
  }

  async isEmpty(): Promise<boolean> {
    return await countBelow(this.#kv, keys.allDatabases(), 1) === 0;
  }

  update(
    { projectId, id }: Pick<DatabaseRecord, "projectId" | "id">,
    change: (database: DatabaseRecord) => DatabaseRecord,
  ): Promise<DatabaseRecord | undefined> {
    return this.#databases.update([projectId, id], change);
  }

  async delete(database: DatabaseRecord, deletedAt: number): Promise<DatabaseRecord> {
    const deleted = await this.update(
      database,
      (current) => current.deletedAt === null ? { ...current, deletedAt } : current,
    );
    return deleted ?? database;
  }

  /** Restores a deleted database, in its own project or in another one. */
  async undelete(
    database: DatabaseRecord,
    projectId: string,
  ): Promise<DatabaseRecord | "name taken" | "too many" | "gone"> {
    const { id, name } = database;
    const from = databases.keyOf(database);
    const byName = keys.databaseByName(projectId, name);
    const branches = keys.databaseBranches(id);
    return await commitWithRetries<DatabaseRecord | "name taken" | "too many" | "gone">(
      this.#kv,
      [from, byName],
      async (operation) => {
        const current = await this.#databases.read(database.projectId, id);
        const taken = await this.#kv.get(byName);
        if (current === undefined || current.value.deletedAt === null) {
          return "gone";
        }
        if (taken.versionstamp !== null) return "name taken";
        if (await this.#count(projectId) >= MAX_DATABASES) return "too many";
        const result = { ...current.value, projectId, deletedAt: null };
        databases.replace(operation, current, result);
        for await (const { key, value } of this.#kv.list<BranchRecord>({ prefix: branches })) {
          const place = { projectId, databaseId: id, branch: String(key.at(-1)) };
          operation.set(keys.databaseRole(value.role), roleRecord.parse(place));
        }
        return result;
      },
    );
  }

  /** Removes the record of a deleted database once nothing is left of it. */
  async remove(database: DatabaseRecord, lease?: Lease): Promise<void> {
    const operation = this.#kv.atomic();
    databases.drop(operation, database);
    await operation.commit(lease);
  }

  async #count(projectId: string): Promise<number> {
    return (await this.list(projectId)).length;
  }
}
