/**
 * Makes a consistent copy of the store, whether or not a platform is using it.
 *
 * @module
 */
import { join } from "node:path";
import { makeHeldFolder } from "../../lib/held_folders.ts";
import { openKv } from "../../platform/core/store/mod.ts";
import type { Environment } from "../../lib/network_variables.ts";
import { isStoreUrl, type RecordStore } from "../../store/mod.ts";
import { isMoved, type RawRecord } from "../migration/raw_record.ts";
import { type Change, openRecords } from "../migration/record_store.ts";

/** Maximum time to wait for the database, in milliseconds. */
const BUSY_MS = 30_000;

/**
 * Yields the changes that write a server's records to the copy. Omits expired records, and records
 * that a move leaves out.
 */
async function* changesOf(records: AsyncIterable<RawRecord>): AsyncGenerator<Change> {
  for await (const record of records) {
    const isOver = record.leftMs !== undefined && record.leftMs <= 0;
    if (isMoved(record) && !isOver) yield { kind: "set", record };
  }
}

/** Copies a store from PostgreSQL into a file, which is itself a store. */
async function copyFromServer(from: string, to: string, env: Environment): Promise<void> {
  const server = await openRecords(from, env);
  try {
    const copy = await openRecords(to, env);
    try {
      await server.ofMoment((records) => copy.write(changesOf(records)));
      await copy.continueAfter(await server.version());
    } finally {
      await copy.close();
    }
  } finally {
    await server.close();
  }
}

/** @param from a file, or a store in PostgreSQL */
export async function copyStore(from: string, to: string, env: Environment = {}): Promise<void> {
  if (isStoreUrl(from)) return await copyFromServer(from, to, env);
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(from, { readOnly: true });
  try {
    database.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
    database.prepare("VACUUM INTO ?").run(to);
  } finally {
    database.close();
  }
}

/** Reads records from a copy without changing it. */
export async function readStoreCopy<T>(
  copy: string,
  read: (kv: RecordStore) => Promise<T>,
): Promise<T> {
  // Opening a store writes to it, so a second copy is opened.
  const opened = `${copy}.read`;
  await Deno.copyFile(copy, opened);
  try {
    // Damaged records are set aside only in this copy.
    const kv = await openKv(opened, {}, () => {});
    try {
      return await read(kv);
    } finally {
      kv.close();
    }
  } finally {
    for (const path of [opened, `${opened}-wal`, `${opened}-shm`]) {
      await Deno.remove(path).catch(() => {});
    }
  }
}

/** Reads a snapshot of a store's records, leaving out damaged records. */
export async function withStoreCopy<T>(
  store: string,
  read: (kv: RecordStore) => Promise<T>,
): Promise<T> {
  await using folder = await makeHeldFolder("store");
  const copy = join(folder.path, "store");
  await copyStore(store, copy);
  return await readStoreCopy(copy, read);
}
