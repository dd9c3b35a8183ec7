/** The results of the platform's most recent backups, in one record. @module */
import * as z from "zod";
import { noteEvent, type RaisedEvent } from "../core/events/mod.ts";
import { keys, readRecord } from "../core/store/mod.ts";
import type { Lease, RecordStore } from "../../store/mod.ts";

const number = z.number();

/**
 * Adds up the databases' counts, because a record has no room for the counts of a thousand
 * databases.
 */
export const countDatabases = (databases: readonly { tables: number; rows: number }[]) => ({
  count: databases.length,
  tables: databases.reduce((sum, { tables }) => sum + tables, 0),
  rows: databases.reduce((sum, { rows }) => sum + rows, 0),
});

const lastBackup = z.object({
  name: z.string(),
  at: number,
  files: number,
  bytes: number,
  sentBytes: number,
  records: number,
  blobs: number,
  databases: z.union([
    z.object({ count: number, tables: number, rows: number }),
    // Older versions stored the counts of each database.
    z.array(z.object({ tables: number, rows: number })).transform(countDatabases),
  ]),
});

const failure = z.object({
  at: number,
  /** Time of the first failed attempt since the last success. */
  since: number,
  /** Number of failed attempts since the last success. */
  attempts: number,
  message: z.string(),
  hint: z.string().nullable(),
});

export const backupRecord = z.object({
  startedAt: number.nullable(),
  last: lastBackup.nullable(),
  failure: failure.nullable(),
});
export type BackupRecord = Readonly<z.infer<typeof backupRecord>>;

export const NO_BACKUP: BackupRecord = { startedAt: null, last: null, failure: null };

const KEY = keys.meta("backups");

export class BackupStore {
  readonly #kv: RecordStore;

  constructor(kv: RecordStore) {
    this.#kv = kv;
  }

  async read(): Promise<BackupRecord> {
    return (await readRecord(this.#kv, KEY, backupRecord))?.value ?? NO_BACKUP;
  }

  /** Stores the record and its event in the same commit. */
  async set(record: BackupRecord, lease: Lease, event?: RaisedEvent): Promise<void> {
    const operation = this.#kv.atomic().set(KEY, record);
    if (event !== undefined) noteEvent(operation, event);
    await operation.commit(lease);
  }
}
