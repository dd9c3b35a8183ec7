/**
 * Prepares the databases of a restored backup before a platform starts on it.
 *
 * @module
 */
import { join } from "node:path";
import * as z from "zod";
import { systemRandom } from "../../lib/clock.ts";
import { readTextFile } from "../../lib/utf8.ts";
import { openKv } from "../../platform/core/store/mod.ts";
import { adoptRecords } from "../../platform/databases/mod.ts";
import { DATABASES, FOLDERS, KV } from "./backup_layout.ts";

const foldersSchema = z.array(
  z.string().regex(/^data(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}){0,6}$/),
);

/** Creates a database's folders, which the archive does not contain. */
async function makeFolders(database: string): Promise<void> {
  const list = join(database, FOLDERS);
  for (const folder of foldersSchema.parse(JSON.parse(await readTextFile(list)))) {
    // PostgreSQL rejects folders that other users can read.
    await Deno.mkdir(join(database, folder), { recursive: true, mode: 0o700 });
  }
  await Deno.remove(list);
}

/** Completes the databases in an unpacked folder, and the records of these databases. */
export async function adoptDatabases(folder: string): Promise<void> {
  const databases = join(folder, DATABASES);
  const hasDatabases = await Deno.stat(databases).then(() => true, () => false);
  if (hasDatabases) {
    for await (const { name } of Deno.readDir(databases)) await makeFolders(join(databases, name));
  }
  // Damaged records are set aside. The user has been notified of them.
  const kv = await openKv(join(folder, KV), {}, () => {});
  try {
    await adoptRecords(kv, systemRandom);
  } finally {
    kv.close();
  }
}
