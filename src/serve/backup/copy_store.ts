/**
 * A copy of the embedded store as it is at one moment, whether a platform runs on it or not.
 *
 * @module
 */
import { join } from "node:path";
import { makeHeldFolder } from "../../lib/held_folders.ts";
import { openKv } from "../../platform/core/store/mod.ts";
import type { RecordStore } from "../../store/mod.ts";

/** Longest wait for the database, in milliseconds. */
const BUSY_MS = 30_000;

export async function copyStore(from: string, to: string): Promise<void> {
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(from, { readOnly: true });
  try {
    database.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
    database.prepare("VACUUM INTO ?").run(to);
  } finally {
    database.close();
  }
}

/** Reads records of a copy, which stays as it is. */
export async function readStoreCopy<T>(
  copy: string,
  read: (kv: RecordStore) => Promise<T>,
): Promise<T> {
  // Opening writes to it.
  const opened = `${copy}.read`;
  await Deno.copyFile(copy, opened);
  try {
    // Damage is set aside in this copy alone.
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

/** Reads records of a store as it is at one moment; what is damaged is left out. */
export async function withStoreCopy<T>(
  store: string,
  read: (kv: RecordStore) => Promise<T>,
): Promise<T> {
  await using folder = await makeHeldFolder("store");
  const copy = join(folder.path, "store");
  await copyStore(store, copy);
  return await readStoreCopy(copy, read);
}
