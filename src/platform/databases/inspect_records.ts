/** Reports on the database records for operators. @module */
import type { EngineKind } from "../../database/mod.ts";
import { ProjectStore } from "../projects/mod.ts";
import { BranchStore } from "./branch_store.ts";
import { DatabaseStore } from "./database_store.ts";
import { GRACE_MS, SIZES } from "./sizes.ts";
import type { RecordStore } from "../../store/mod.ts";

/** A branch's human-readable name, such as `orders/main of shop`. */
interface NamedBranch {
  readonly name: string;
}

export interface RecordFacts {
  readonly databases: number;
  readonly failed: readonly (NamedBranch & { readonly reason: string })[];
  /** The branches, and the engines of their storage. */
  readonly shown: readonly (NamedBranch & { readonly engine: EngineKind; readonly id: string })[];
  /**
   * Of the databases on a server, the one with the highest limit on concurrent clients. The limit
   * applies to each branch of that database.
   */
  readonly largestOnServer: (NamedBranch & { readonly connections: number }) | undefined;
  /** The IDs of all storage in the records. */
  readonly named: ReadonlySet<string>;
  /** Branches that expire, and when, in milliseconds since 1970. */
  readonly expired: readonly (NamedBranch & { readonly expiresAt: number })[];
  /** Deleted databases, and when they will be removed permanently. */
  readonly deleted: readonly (NamedBranch & { readonly removedAt: number })[];
}

type Facts<Key extends keyof RecordFacts> = RecordFacts[Key] extends readonly (infer Fact)[]
  ? Fact[]
  : never;

/** Reads the records without changing anything in the store. */
export async function inspectRecords(kv: RecordStore): Promise<RecordFacts> {
  const [databases, branches, projects] = [
    new DatabaseStore(kv),
    new BranchStore(kv),
    new ProjectStore(kv),
  ];
  const failed: Facts<"failed"> = [];
  const shown: Facts<"shown"> = [];
  const expired: Facts<"expired"> = [];
  const deleted: Facts<"deleted"> = [];
  let largest: RecordFacts["largestOnServer"];
  let count = 0;
  for await (const database of databases.all()) {
    const { id, name, workspaceId, projectId, deletedAt } = database;
    const project = await projects.find(workspaceId, projectId);
    const place = `of ${project?.name ?? projectId}`;
    if (deletedAt === null) count++;
    else deleted.push({ name: `${name} ${place}`, removedAt: deletedAt + GRACE_MS });
    const { connections } = SIZES[database.cuSize];
    const isOnServer = deletedAt === null && database.engine === "server";
    if (isOnServer && connections > (largest?.connections ?? 0)) {
      largest = { name: `${name} ${place}`, connections };
    }
    for (const branch of await branches.list(id)) {
      const { storage, failure, expiresAt } = branch;
      const named = { name: `${name}/${branch.name} ${place}` };
      if (storage !== null) shown.push({ ...named, ...storage });
      if (failure !== null) failed.push({ ...named, reason: failure });
      if (expiresAt !== null) expired.push({ ...named, expiresAt });
    }
  }
  const named = await branches.namedStorages();
  const facts = { databases: count, failed, shown, expired, deleted, largestOnServer: largest };
  return { ...facts, named };
}
