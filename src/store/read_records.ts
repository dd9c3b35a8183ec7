/**
 * Reading all records of a store in the order of their keys, for copying them.
 *
 * @module
 */
import type { Connections } from "./connections.ts";

/** Records that are read at a time. */
const MOST = 500;

export interface StoredRecord {
  readonly key: Uint8Array<ArrayBuffer>;
  readonly value: Uint8Array<ArrayBuffer> | Deno.KvU64;
  /** Milliseconds until it expires, by the database's clock. */
  readonly leftMs: number | undefined;
}

interface Row {
  readonly key: Uint8Array<ArrayBuffer>;
  readonly value: Uint8Array<ArrayBuffer> | null;
  readonly number: string | null;
  readonly left_ms: number | null;
}

/** Yields all records with their encoded keys, also those that have expired. */
export async function* readRecords(connections: Connections): AsyncGenerator<StoredRecord> {
  let after = new Uint8Array();
  for (let count = MOST; count === MOST;) {
    const rows = await connections.run((sql) =>
      sql<Row[]>`
        SELECT key, value, number,
          (extract(epoch FROM expires_at - clock_timestamp()) * 1000)::double precision AS left_ms
        FROM svc.records WHERE key > ${after} ORDER BY key LIMIT ${MOST}`
    );
    for (const { key, value, number, left_ms } of rows) {
      yield { key, value: value ?? new Deno.KvU64(BigInt(number!)), leftMs: left_ms ?? undefined };
    }
    count = rows.length;
    after = rows.at(-1)?.key ?? after;
  }
}
