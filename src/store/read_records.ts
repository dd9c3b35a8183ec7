/** Reads all records of a store in key order, for a copy. @module */
import type { Sql } from "postgres";
import type { Connections } from "./connections.ts";

/** Maximum number of records that are read at a time. */
const MOST = 500;

interface StoredRecord {
  readonly key: Uint8Array<ArrayBuffer>;
  readonly value: Uint8Array<ArrayBuffer> | Deno.KvU64;
  /** Milliseconds until the record expires, according to the database's clock. */
  readonly leftMs: number | undefined;
}

interface Row {
  readonly key: Uint8Array<ArrayBuffer>;
  readonly value: Uint8Array<ArrayBuffer> | null;
  readonly number: string | null;
  readonly left_ms: number | null;
}

/** Yields all records with their encoded keys, including expired ones. */
export function readRecords(connections: Connections): AsyncGenerator<StoredRecord> {
  return readPages((page) => connections.run(page));
}

/** Passes all records from one snapshot to a function. */
export function withRecordsOfMoment<T>(
  connections: Connections,
  take: (records: AsyncIterable<StoredRecord>) => Promise<T>,
): Promise<T> {
  return connections.inSnapshot((sql) => take(readPages((page) => page(sql))));
}

async function* readPages(
  run: (page: (sql: Sql) => Promise<Row[]>) => Promise<Row[]>,
): AsyncGenerator<StoredRecord> {
  let after = new Uint8Array();
  for (let count = MOST; count === MOST;) {
    const rows = await run((sql) =>
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
