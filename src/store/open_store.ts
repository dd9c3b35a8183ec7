/** Opens a store in PostgreSQL and removes expired records. @module */
import { type Rounds, startRounds } from "../lib/rounds.ts";
import type { Connections } from "./connections.ts";
import { ChangeFollower } from "./change_follower.ts";
import { migrateSchema } from "./migrate_schema.ts";
import { PATIENCE, type Patience } from "./patience.ts";
import { PgRecordStore } from "./pg_record_store.ts";
import { StoreUnavailableError } from "./server_fault.ts";
import { SeenVersion } from "./seen_version.ts";
import type { StoreAddress } from "./store_address.ts";

/** Returns the version of the last commit, which changes with every commit. */
export async function readVersion(connections: Connections): Promise<bigint> {
  const [row] = await connections.run((sql) =>
    sql<{ version: string }[]>`SELECT version FROM svc.clock`
  );
  return BigInt(row!.version);
}

/**
 * Ensures that all later commits have versions above `version`, the version of a store whose
 * records are being moved to this one.
 */
export async function raiseVersion(connections: Connections, version: bigint): Promise<void> {
  await connections.run((sql) =>
    sql`UPDATE svc.clock SET version = greatest(version, ${String(version)}::bigint)`
  );
}

/** How often expired records are deleted, and how many are deleted at a time. */
const TIDY_MS = 10_000;
const TIDY_AT_ONCE = 1000;

/**
 * How long changes can be read, and how long the results of commits are kept in case a response is
 * lost.
 */
const KEPT_CHANGES = "15 minutes";
const KEPT_COMMITS = "15 minutes";

export interface PgStore {
  readonly kv: PgRecordStore;
  readonly connections: Connections;
  /** Follows other nodes' changes from now on. */
  follow(): Promise<ChangeFollower>;
  close(): Promise<void>;
}

/** Creates missing tables. @throws {StoreUnavailableError | StoreNewerError} */
export async function openPgStore(
  address: StoreAddress,
  patience: Patience = PATIENCE,
): Promise<PgStore> {
  // Loads the client library here, so that only platforms with a PostgreSQL server load it.
  const { Connections } = await import("./connections.ts");
  const connections = new Connections(address, patience);
  try {
    await connections.run((sql) => migrateSchema(sql));
  } catch (error) {
    await connections.close();
    throw error;
  }
  const seen = new SeenVersion();
  const kv = new PgRecordStore(connections, seen);
  return {
    kv,
    connections,
    follow: () => ChangeFollower.open(connections, { writer: kv.writer, seen }),
    close: () => connections.close(),
  };
}

/** Deletes expired records, old changes and old commit results. */
export async function tidyStore({ connections }: PgStore, signal?: AbortSignal): Promise<void> {
  for (let deleted = TIDY_AT_ONCE; deleted === TIDY_AT_ONCE && signal?.aborted !== true;) {
    const [row] = await connections.run((sql) =>
      sql<{ deleted: number }[]>`
        SELECT svc.tidy(${TIDY_AT_ONCE}, ${KEPT_CHANGES}::text::interval,
          ${KEPT_COMMITS}::text::interval) AS deleted`
    );
    deleted = row!.deleted;
  }
}

/** Deletes outdated records regularly. */
export function startTidying(store: PgStore, onTrouble: (message: string) => void): Rounds {
  return startRounds({
    firstMs: TIDY_MS,
    everyMs: TIDY_MS,
    run: (signal) => tidyStore(store, signal),
    onError(error) {
      // An unreachable store is ignored here, because other code notices it.
      if (!(error instanceof StoreUnavailableError)) onTrouble(`Cannot tidy the store: ${error}`);
    },
  });
}
