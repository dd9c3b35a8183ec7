/**
 * Verifies everything that a platform stores: all records, blobs, keys and database pages. Changes
 * nothing. A platform can run during the check.
 *
 * @module
 */
import { join } from "node:path";
import { verifyPages } from "../../database/mod.ts";
import { messageOf } from "../../lib/error_message.ts";
import { namesIn } from "../../lib/missing_files.ts";
import type { Environment } from "../../lib/network_variables.ts";
import { KeyFileError, readKeyIds } from "../../platform/core/secrets/mod.ts";
import { nameOf } from "../../platform/core/store/mod.ts";
import { openBlobSource } from "./blob_source.ts";
import { DamageList } from "./damage_list.ts";
import { verifyBlobs } from "./verify_blobs.ts";
import { verifyRecords } from "./verify_records.ts";

interface VerifyOptions {
  readonly dataDir: string;
  /** Path of the key-value store, or `postgres://…`; by default, in the data directory. */
  readonly kv?: string;
  /** Folder of the blobs, or `s3://…`; by default, in the data directory. */
  readonly blobs?: string;
  /** Path of the key file; by default, in the data directory. */
  readonly keys?: string;
  readonly env: Environment;
  readonly now: number;
}

export interface Verified {
  readonly records: number;
  /**
   * Number of records that were written by an svc version without checksums. Each of these records
   * gets a checksum when it next changes.
   */
  readonly unchecked: number;
  readonly blobs: number;
  /** Number of verified database pages. */
  readonly pages: number;
  /** Folders of databases that were created without checksums. */
  readonly uncheckedDatabases: readonly string[];
  /** Descriptions of damaged or missing data. */
  readonly damage: readonly string[];
  /** Number of damaged items that are not listed. */
  readonly more: number;
}

/** Returns the IDs of the keys in a file. There are none if the file cannot be read. */
async function verifyKeys(path: string, damage: DamageList): Promise<ReadonlySet<string>> {
  try {
    const ids = await readKeyIds(path);
    if (ids.size === 0) damage.add(`the key file ${path} is missing`);
    return ids;
  } catch (error) {
    if (!(error instanceof KeyFileError)) throw error;
    damage.add(`the key file ${path} is damaged`);
    return new Set();
  }
}

/** Lists the data folders of the databases in a data directory. */
async function databaseFolders(dataDir: string): Promise<readonly string[]> {
  const embedded = join(dataDir, "databases");
  const places = [
    ...(await namesIn(embedded)).map((name) => join(embedded, name)),
    join(dataDir, "postgres"),
  ];
  const folders: string[] = [];
  for (const folder of places.map((place) => join(place, "data"))) {
    if (await Deno.stat(join(folder, "base")).then(() => true, () => false)) folders.push(folder);
  }
  return folders;
}

async function verifyDatabases(
  dataDir: string,
  damage: DamageList,
): Promise<Pick<Verified, "pages" | "uncheckedDatabases">> {
  let pages = 0;
  const uncheckedDatabases: string[] = [];
  for (const folder of await databaseFolders(dataDir)) {
    try {
      const found = await verifyPages(folder);
      pages += found.pages;
      if (found.unchecked > 0) uncheckedDatabases.push(folder);
      for (const page of found.damaged) damage.add(`a page of a database is damaged: ${page}`);
    } catch (error) {
      damage.add(`the database in ${folder} cannot be read: ${messageOf(error)}`);
    }
  }
  return { pages, uncheckedDatabases };
}

/** Reads everything. Unreadable data counts as damage. */
export async function verifyData(options: VerifyOptions): Promise<Verified> {
  const { dataDir, env, now } = options;
  const damage = new DamageList();
  const known = await verifyKeys(options.keys ?? join(dataDir, "keys.json"), damage);
  const place = options.kv ?? join(dataDir, "kv.sqlite3");
  let blobs = 0;
  let [records, unchecked] = [0, 0];
  try {
    const read = await verifyRecords({ place, env }, damage, async (kv) => {
      const at = options.blobs ?? join(dataDir, "blobs");
      await using source = await openBlobSource(at, { env, kv });
      blobs = await verifyBlobs({ source, kv, now }, damage);
    });
    ({ records, unchecked } = read);
    for (const [id, key] of known.size === 0 ? [] : read.keyIds) {
      if (known.has(id)) continue;
      damage.add(`the key file does not contain the key ${id}, which encrypts ${nameOf(key)}`);
    }
  } catch (error) {
    damage.add(`records or blobs cannot be read: ${messageOf(error)}`);
  }
  const databases = await verifyDatabases(dataDir, damage);
  return { records, unchecked, blobs, ...databases, damage: damage.named, more: damage.more };
}
