/**
 * Backs up a data directory, whether or not a platform is using it.
 *
 * Records are read in one transaction of the database. Existing files are copied before the
 * transaction, and new files after it. All files that the records refer to still exist, because
 * files are removed only some time after they were last needed.
 *
 * @module
 */
import { dirname, join } from "node:path";
import type { Clock } from "../../lib/clock.ts";
import {
  DATA_FORMAT,
  FormatMarkError,
  isUnfinished,
  readFormatMark,
  UNMARKED_FORMAT,
} from "../../lib/data_format.ts";
import { describeFileFault, isFileFault } from "../../lib/file_fault.ts";
import { namesIn } from "../../lib/missing_files.ts";
import type { Environment } from "../../lib/network_variables.ts";
import { isStoreUrl } from "../../store/mod.ts";
import { renameDurably } from "../../lib/sync_folder.ts";
import { type AddDatabasesOptions, DatabaseAdder, databasesIn } from "./add_databases.ts";
import { type AddBlobs, openBlobAdder } from "./add_blobs.ts";
import { ArchiveWriter, toFile } from "./archive_writer.ts";
import { copyStore } from "./copy_store.ts";
import {
  BACKUP_SCHEMA,
  BackupError,
  type BackupReport,
  BLOBS,
  BUILD_LOGS,
  DESCRIPTION,
  DIGESTS,
  isBackupPath,
  KEYS,
  KV,
  REPOSITORIES,
  REPOSITORY_FILES,
} from "./backup_layout.ts";
import { summarizeDamage } from "./damage_list.ts";
import { filesBelow } from "./files_below.ts";
import { verifyData } from "./verify_data.ts";
import { withWorkFolder } from "./work_folder.ts";

/** The source data of a backup. */
export interface BackupSource {
  readonly dataDir: string;
  /** Path of the key-value store, or `postgres://…`; by default, in the data directory. */
  readonly kv?: string;
  /** Folder of the blobs, or `s3://…`; by default, in the data directory. */
  readonly blobs?: string;
  /** Path of the key file; by default, in the data directory. */
  readonly keys?: string;
  /** The environment, with the password for `kv` and the keys for `blobs`. */
  readonly env?: Environment;
  /** Access to managed databases. If this is missing, the databases are left out. */
  readonly databases?: Pick<AddDatabasesOptions, "postgres">;
  /** Whether to read and verify everything first. */
  readonly verifies?: boolean;
  /** Version of this program. */
  readonly version: string;
  readonly now: Clock;
}

interface BackupOptions extends BackupSource {
  /** File to create. */
  readonly to: string;
}

/**
 * Maximum number of times to reread the records because a database that they list no longer exists.
 */
const MAX_ATTEMPTS = 5;

/**
 * Adds the repositories that were pushed to the platform: first the refs of each repository, then
 * its objects, so no referenced object is missing. The second pass finds packs that git has merged
 * in the meantime.
 */
async function addRepositories(archive: ArchiveWriter, dataDir: string): Promise<void> {
  const root = join(dataDir, REPOSITORIES);
  for (const name of await namesIn(root)) {
    for (const file of REPOSITORY_FILES) {
      const path = `${REPOSITORIES}/${name}/${file}`;
      const found = await Deno.lstat(join(dataDir, path)).catch(() => undefined);
      if (found?.isFile && isBackupPath(path)) await archive.addFile(path, join(dataDir, path));
    }
    for (let look = 1; look <= 2; look++) {
      const objects = `${REPOSITORIES}/${name}/objects`;
      for await (const path of filesBelow(join(dataDir, objects), objects)) {
        if (!archive.has(path)) await archive.addFile(path, join(dataDir, path));
      }
    }
  }
}

/** A backup that is being created. */
interface Making {
  readonly options: BackupSource;
  readonly archive: ArchiveWriter;
  /** Folder for temporary files. */
  readonly folder: string;
}

/** Adds a copy of the store and the databases listed in it. */
async function addRecords({ archive, folder, options }: Making): Promise<void> {
  const { dataDir, kv = join(dataDir, KV), databases } = options;
  const copy = join(folder, KV);
  const adder = databases && new DatabaseAdder(archive, { dataDir, folder, ...databases });
  try {
    for (let attempt = 1;; attempt++) {
      await copyStore(kv, copy, options.env);
      if (adder === undefined || await adder.add(await databasesIn(copy))) break;
      if (attempt === MAX_ATTEMPTS) {
        throw new BackupError(
          `Cannot back up ${dataDir}: its databases keep changing`,
          "Try again when no database is being reset or deleted",
        );
      }
      await Deno.remove(copy);
    }
    await archive.addFile(KV, copy);
  } finally {
    await adder?.close();
    await Deno.remove(copy).catch(() => {});
  }
}

/** Adds everything that a backup contains. */
export async function addEverything(making: Making, format: number): Promise<void> {
  const { archive, folder, options } = making;
  const { dataDir, env = {} } = options;
  const blobs = await openBlobAdder(options.blobs ?? join(dataDir, BLOBS), {
    archive,
    folder,
    env,
  });
  try {
    await addParts(making, format, blobs.add);
  } finally {
    blobs.close();
  }
}

async function addParts(making: Making, format: number, addBlobs: AddBlobs): Promise<void> {
  const { archive, options } = making;
  const { dataDir, version, now } = options;
  const description = {
    schemaVersion: BACKUP_SCHEMA,
    format,
    program: version,
    createdAt: new Date(now()).toISOString(),
  };
  await archive.addText(DESCRIPTION, `${JSON.stringify(description)}\n`);
  await addBlobs();
  await addRecords(making);
  if (!await archive.addFile(KEYS, options.keys ?? join(dataDir, KEYS))) {
    throw new BackupError(
      `Cannot back up ${dataDir}: it has no ${KEYS}, which is required to ` +
        "read secrets",
    );
  }
  await addBlobs();
  for await (const path of filesBelow(join(dataDir, BUILD_LOGS), BUILD_LOGS)) {
    await archive.addFile(path, join(dataDir, path));
  }
  await addRepositories(archive, dataDir);
  await archive.addText(DIGESTS, JSON.stringify(archive.digests));
}

/** @throws {BackupError} if there is nothing to back up, or if this program cannot read the data */
export async function formatOf(
  { dataDir, kv = join(dataDir, KV) }: BackupSource,
): Promise<number> {
  if (!isStoreUrl(kv)) await requireFile(dataDir, kv);
  return await knownFormat(dataDir);
}

async function requireFile(dataDir: string, kv: string): Promise<void> {
  const found = await Deno.stat(kv).catch((error) => {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw new BackupError(
      `Cannot back up ${dataDir}: ${describeFileFault(error)}`,
      "Run it as the platform's user, or set another directory with --data-dir",
      { cause: error },
    );
  });
  if (found?.isFile !== true) {
    throw new BackupError(
      `Cannot back up ${dataDir}: there is no ${kv}`,
      "Set the data directory with --data-dir",
    );
  }
}

async function knownFormat(dataDir: string): Promise<number> {
  if (await isUnfinished(dataDir)) {
    throw new BackupError(
      `Cannot back up ${dataDir}: svc restore did not finish`,
      "Delete the directory and restore the backup again",
    );
  }
  const mark = await readFormatMark(dataDir).catch((cause) => {
    if (!(cause instanceof FormatMarkError)) throw cause;
    throw new BackupError(`Cannot back up ${dataDir}: ${cause.message}`, undefined, { cause });
  });
  if (mark?.migration !== undefined) {
    throw new BackupError(
      `Cannot back up ${dataDir}: its migration to format ${mark.format} is not complete`,
      "Start svc serve with this directory to continue. The backup " +
        `${mark.migration.backup} in it was created before the migration`,
    );
  }
  if (mark === undefined || mark.format <= DATA_FORMAT) return mark?.format ?? UNMARKED_FORMAT;
  throw new BackupError(
    `Cannot back up ${dataDir}: its data has format ${mark.format}, but this program supports ` +
      `format ${DATA_FORMAT}`,
    `Use svc ${mark.program}, which wrote it`,
  );
}

/** Writes the archive in a folder, then renames it to the backup's name. */
async function writeBackup(
  folder: string,
  options: BackupOptions,
  format: number,
): Promise<BackupReport> {
  const partial = join(folder, "backup.tar");
  using file = await Deno.open(partial, { write: true, createNew: true, mode: 0o600 });
  const archive = new ArchiveWriter(toFile(file));
  try {
    await addEverything({ archive, folder, options }, format);
    await archive.finish();
  } catch (error) {
    throw await archive.abort(error);
  }
  await file.sync();
  await renameDurably(partial, options.to);
  return archive.report;
}

/** Explains why the file cannot be written, and what the user can do. */
async function unwritable(to: string, cause: Error): Promise<BackupError> {
  const folder = dirname(to);
  const isMissing = await Deno.stat(folder).then(
    () => false,
    (error) => error instanceof Deno.errors.NotFound,
  );
  return isMissing
    ? new BackupError(
      `Cannot write the backup ${to}: there is no folder ${folder}`,
      "Create that folder, or use a file in another folder",
      { cause },
    )
    : new BackupError(
      `Cannot write the backup ${to}: ${describeFileFault(cause)}`,
      "Choose a writable folder with space for all data",
      { cause },
    );
}

/** Reads and verifies everything that the backup will contain. */
export async function verifyFirst(
  { dataDir, kv, blobs, keys, env = {}, now }: BackupSource,
): Promise<void> {
  const places = { dataDir, ...(kv && { kv }), ...(blobs && { blobs }), ...(keys && { keys }) };
  const verified = await verifyData({ ...places, env, now: now() });
  if (verified.damage.length === 0) return;
  throw new BackupError(
    `Cannot back up ${dataDir}: it contains damaged data: ${summarizeDamage(verified)}`,
    "Keep your older backups. Omit --verify to back up the data as it is",
  );
}

/**
 * Writes a backup and flushes it to disk. The file appears only when it is complete.
 *
 * @throws {BackupError} if there is nothing to back up, or the file cannot be written.
 */
export async function makeBackup(options: BackupOptions): Promise<BackupReport> {
  const { to } = options;
  const format = await formatOf(options);
  if (options.verifies === true) await verifyFirst(options);
  try {
    return await withWorkFolder(to, (folder) => writeBackup(folder, options, format));
  } catch (cause) {
    throw isFileFault(cause) ? await unwritable(to, cause) : cause;
  }
}
