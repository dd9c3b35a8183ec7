/** Inspects a PostgreSQL store for the operator, without changing the store. @module */
import { PATIENCE, type Patience } from "./patience.ts";
import type { StoreAddress } from "./store_address.ts";

export interface StoreFacts {
  readonly version: string;
  /** The server's version in the format of `server_version_num`: 160004 for 16.4. */
  readonly versionNumber: number;
  /** Whether the role can use svc's tables, or create them if they do not exist. */
  readonly mayWrite: boolean;
  /** Whether svc has created its tables. */
  readonly isMade: boolean;
  /** The standbys that commits wait for, as reported by the server; empty if there are none. */
  readonly standbys: string;
  /** Whether commits wait until they are on disk on the server and its standbys. */
  readonly commitsWait: boolean;
  /**
   * How far the server's clock is ahead of this machine's clock, in milliseconds. Accurate to
   * within half a round trip.
   */
  readonly skewMs: number;
}

interface Row {
  readonly version: string;
  readonly number: number;
  readonly may_write: boolean;
  readonly is_made: boolean;
  readonly standbys: string;
  readonly synchronous: string;
  readonly now_ms: number;
}

/** @throws {StoreUnavailableError} if no primary can be reached. */
export async function inspectStore(
  address: StoreAddress,
  { now, patience = PATIENCE }: { readonly now: () => number; readonly patience?: Patience },
): Promise<StoreFacts> {
  const { Connections } = await import("./connections.ts");
  const connections = new Connections(address, patience, 1);
  try {
    // The first query opens the connection; the second one is timed.
    await connections.run((sql) => sql`SELECT 1`);
    const asked = now();
    const [row] = await connections.run((sql) =>
      sql<Row[]>`
        SELECT current_setting('server_version') AS version,
          current_setting('server_version_num')::integer AS number,
          to_regclass('svc.records') IS NOT NULL AS is_made,
          coalesce(has_table_privilege(to_regclass('svc.records'), 'INSERT')
            AND has_table_privilege(to_regclass('svc.records'), 'UPDATE')
            AND has_table_privilege(to_regclass('svc.records'), 'DELETE'),
            has_database_privilege(current_database(), 'CREATE')) AS may_write,
          current_setting('synchronous_standby_names') AS standbys,
          current_setting('synchronous_commit') AS synchronous,
          (extract(epoch FROM clock_timestamp()) * 1000)::double precision AS now_ms`
    );
    const { version, number, may_write, is_made, standbys, synchronous, now_ms } = row!;
    return {
      version,
      versionNumber: number,
      mayWrite: may_write,
      isMade: is_made,
      standbys,
      commitsWait: synchronous !== "off" && (standbys === "" || synchronous !== "local"),
      skewMs: Math.round(now_ms - (asked + now()) / 2),
    };
  } finally {
    await connections.close();
  }
}
