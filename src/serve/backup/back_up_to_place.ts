/**
 * Backs up to a location with several backups: a folder, object storage or an SFTP server. Each
 * backup is verified by restoring it into an empty folder before it replaces an older one.
 *
 * @module
 */
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import { describeFileFault, isFileFault } from "../../lib/file_fault.ts";
import { formatBytes } from "../../lib/format.ts";
import { ArchiveWriter } from "./archive_writer.ts";
import { BackupError } from "./backup_layout.ts";
import { type CountedDatabase, countRows } from "./count_rows.ts";
import { addEverything, type BackupSource, formatOf, verifyFirst } from "./make_backup.ts";
import { type HeldPlace, holdPlace } from "./repository/hold_place.ts";
import { nameAfter, REPOSITORY_SCHEMA } from "./repository/manifest.ts";
import { openPlace } from "./repository/open_place.ts";
import type { Place } from "./repository/place.ts";
import {
  backupNames,
  commitBackup,
  DamagedPartError,
  PartWriter,
  prune,
  readArchive,
  readManifest,
  recordCheck,
} from "./repository/repository.ts";
import { checkRecipients, type Opening, type Sealing, sealTo } from "./repository/sealing.ts";
import { restoreBackup } from "./restore_backup.ts";
import { withWorkFolder } from "./work_folder.ts";

export interface PlaceBackupOptions extends BackupSource {
  /** A folder, `s3://…` or `sftp://…`. */
  readonly place: string;
  /** Public age keys. If there are none, the backup is not encrypted. */
  readonly recipients: readonly string[];
  /** Number of verified backups to keep; by default, all of them. */
  readonly keep?: number;
  /** Stops the backup and releases its location. The process must then exit. */
  readonly signal: AbortSignal;
  /** Returns the free bytes on a folder's disk; by default, as reported by the system. */
  freeBytes?(folder: string): Promise<number>;
}

/** A backup, with the counts from its test restore. */
interface ProvenBackup {
  readonly name: string;
  readonly files: number;
  readonly bytes: number;
  /** Number of bytes sent; the other bytes were already stored. */
  readonly sentBytes: number;
  readonly records: number;
  readonly blobs: number;
  readonly databases: readonly CountedDatabase[];
  /** Number of older backups that were removed. */
  readonly removed: number;
}

interface Work {
  readonly options: PlaceBackupOptions;
  readonly place: Place;
  readonly held: HeldPlace;
  /** Private folder on this machine. */
  readonly folder: string;
  readonly sealing: Sealing;
  readonly opening: Opening;
}

type Written = Pick<ProvenBackup, "name" | "files" | "bytes" | "sentBytes">;

async function write(
  { options, place, held, folder, sealing }: Work,
  { format, sendsAll }: { readonly format: number; readonly sendsAll: boolean },
): Promise<Written> {
  const createdAt = options.now();
  const writer = await PartWriter.open(place, sealing, sendsAll);
  const archive = new ArchiveWriter((bytes) => writer.write(bytes));
  try {
    await addEverything({ archive, folder, options }, format);
    await archive.finish();
  } catch (error) {
    throw await archive.abort(error);
  }
  await writer.finish();
  held.assertHeld();
  const name = nameAfter((await backupNames(place)).at(-1), createdAt);
  await commitBackup(place, name, {
    schemaVersion: REPOSITORY_SCHEMA,
    createdAt: new Date(createdAt).toISOString(),
    program: options.version,
    recipients: [...sealing.recipients],
    parts: writer.parts,
    ...archive.report,
  });
  return { name, ...archive.report, sentBytes: writer.sentBytes };
}

/** Number of bytes that a check must leave free. The platform writes to the same disk. */
const RESERVE = 256 * 1024 * 1024;

async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** @throws {BackupError} if restoring `bytes` bytes would fill the platform's disk */
async function requireSpace({ options, folder }: Work, bytes: number): Promise<void> {
  const { dataDir, freeBytes = freeBytesOf } = options;
  const free = await freeBytes(folder);
  if (free >= bytes + RESERVE) return;
  throw new BackupError(
    `Cannot check the backup: ${dataDir} has ${formatBytes(free)} free, but a check needs ${
      formatBytes(bytes + RESERVE)
    }`,
    "Free some space. The backup is stored, but it was not verified by restoring it",
  );
}

/** Restores a backup from its location into an empty folder and counts its content. */
async function prove(
  work: Work,
  name: string,
): Promise<Pick<ProvenBackup, "records" | "blobs" | "databases">> {
  const { options, place, folder, opening } = work;
  const { parts, bytes } = await readManifest(place, name);
  await requireSpace(work, bytes);
  const dataDir = join(folder, "restored");
  try {
    const { verified } = await restoreBackup({
      from: `${name} of ${place.name}`,
      open: () => readArchive(place, name, { parts, opening }),
      dataDir,
    });
    const databases = await countRows(dataDir, options.env ?? {});
    const { records, blobs } = verified;
    const sum = (of: (counted: CountedDatabase) => number) =>
      databases.reduce((total, counted) => total + of(counted), 0);
    await recordCheck(place, name, {
      checkedAt: new Date(options.now()).toISOString(),
      records,
      blobs,
      databases: databases.length,
      rows: sum(({ rows }) => rows),
    });
    return { records, blobs, databases };
  } finally {
    await Deno.remove(dataDir, { recursive: true }).catch(() => {});
  }
}

/** Writes and verifies a backup. If a stored part is damaged, sends all parts once more. */
async function writeAndProve(work: Work, format: number) {
  for (let sendsAll = false;; sendsAll = true) {
    const written = await write(work, { format, sendsAll });
    try {
      return { ...written, ...await prove(work, written.name) };
    } catch (error) {
      if (sendsAll || !(error instanceof DamagedPartError)) throw error;
    }
  }
}

function explain(cause: unknown, { dataDir }: PlaceBackupOptions): unknown {
  if (!isFileFault(cause)) return cause;
  return new BackupError(
    `Cannot back up ${dataDir}: ${describeFileFault(cause)}`,
    "The data directory needs free space for a copy of all data, because each backup is " +
      "verified by restoring it there",
    { cause },
  );
}

/**
 * Creates a backup, verifies it, then removes excess backups.
 *
 * @throws {BackupError} with advice
 */
export async function backUpToPlace(options: PlaceBackupOptions): Promise<ProvenBackup> {
  const { dataDir, recipients, keep } = options;
  checkRecipients(recipients);
  const format = await formatOf(options);
  if (options.verifies === true) await verifyFirst(options);
  const keys = await sealTo(recipients, options.keys ?? join(dataDir, "keys.json"));
  const place = await openPlace(options.place, options.env ?? {});
  try {
    return await withWorkFolder(
      join(dataDir, "backup"),
      (folder) =>
        holdPlace(place, async (held) => {
          const proven = await writeAndProve({ options, place, held, folder, ...keys }, format);
          if (keep === undefined) return { ...proven, removed: 0 };
          const { backups } = await prune({ place, held, keep });
          return { ...proven, removed: backups };
        }, options.signal),
    );
  } catch (cause) {
    throw explain(cause, options);
  } finally {
    place.close();
  }
}
