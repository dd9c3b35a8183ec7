/** Migrates a data directory to this program's format before anything else opens it. @module */
import { join } from "node:path";
import {
  DATA_FORMAT,
  type FormatMark,
  FormatMarkError,
  isUnfinished,
  readFormatMark,
  UNMARKED_FORMAT,
  writeFormatMark,
} from "../lib/data_format.ts";
import { DataIncompleteError, isFullDisk } from "../platform/core/store/mod.ts";
import {
  DataNotMigratedError,
  migrateFormat,
  type MigrateOptions,
  type Migration,
  MIGRATIONS,
} from "./migrate_format.ts";

/** An error for a directory that a newer version has written. */
export class DataNewerError extends Error {
  override readonly name = "DataNewerError";
}

export interface FormatOptions extends Omit<MigrateOptions, "migrations"> {
  /** The program's format. */
  readonly format?: number;
  readonly migrations?: readonly Migration[];
}

/** @throws {DataNewerError | DataIncompleteError} */
export async function readKnownMark(
  dataDir: string,
  format: number = DATA_FORMAT,
): Promise<FormatMark | undefined> {
  if (await isUnfinished(dataDir)) {
    throw new DataIncompleteError(
      `Cannot use the data directory ${dataDir}: svc restore did not ` +
        "finish. Delete the directory and restore the backup again",
    );
  }
  const found = await readFormatMark(dataDir).catch((cause) => {
    if (!(cause instanceof FormatMarkError)) throw cause;
    throw new DataIncompleteError(cause.message, { cause });
  });
  if (found === undefined || found.format <= format) return found;
  throw new DataNewerError(
    `Cannot use the data directory ${dataDir}: svc ${found.program} wrote it in format ` +
      `${found.format}, but this program reads format ${format} and older. Run the newer ` +
      "program, which svc upgrade installs, or restore an earlier backup with svc restore",
  );
}

/**
 * Returns the format of a directory's data. An unfinished migration may already have changed part
 * of the data.
 */
const formatOf = ({ format, migration }: FormatMark): number => migration?.from ?? format;

/**
 * Checks the format for commands that do not migrate. @throws {DataNewerError |
 * DataNotMigratedError | DataIncompleteError}
 */
export async function requireFormat(dataDir: string, format: number = DATA_FORMAT): Promise<void> {
  const found = await readKnownMark(dataDir, format);
  const stored = found === undefined ? UNMARKED_FORMAT : formatOf(found);
  if (stored === format || found === undefined && await isNew(dataDir)) return;
  throw new DataNotMigratedError(
    `Cannot use the data directory ${dataDir}: its data has format ${stored}, but this program ` +
      `uses format ${format}. Start svc serve once with this directory to migrate it`,
  );
}

/** Whether a directory without a format mark is new, that is, has no store. */
async function isNew(dataDir: string): Promise<boolean> {
  return await Deno.stat(join(dataDir, "kv.sqlite3")).then(() => false, () => true);
}

/**
 * Marks a new directory with its format, backs up and migrates an older one, and rejects a newer
 * one. @throws {DataNewerError | DataNotMigratedError}
 */
export async function settleFormat(options: FormatOptions): Promise<void> {
  const { places: { dataDir }, format = DATA_FORMAT, migrations = MIGRATIONS, log } = options;
  const found = await readKnownMark(dataDir, format);
  const stored = found === undefined
    ? await isNew(dataDir) ? format : UNMARKED_FORMAT
    : formatOf(found);
  if (stored < format) {
    return await migrateFormat({ ...options, migrations }, found, { from: stored, to: format });
  }
  if (found !== undefined) return;
  try {
    await writeFormatMark(dataDir, { format, program: options.version });
  } catch (error) {
    // A platform can serve even if the disk is full. In that case, the mark is written on the next
    // start.
    if (!isFullDisk(error)) throw error;
    log(`Cannot mark the data directory ${dataDir} with its format: the disk is full`);
  }
}
