/**
 * Bringing a data directory to the format of this program, before anything else of it is
 * opened.
 *
 * @module
 */
import { join } from "node:path";
import {
  DATA_FORMAT,
  type FormatMark,
  FormatMarkError,
  isUnfinished,
  readFormatMark,
  writeFormatMark,
} from "../lib/data_format.ts";
import { DataIncompleteError, isFullDisk } from "../platform/core/store/mod.ts";

/** Data directories from before there was a mark have this format. */
const UNMARKED_FORMAT = 1;

/** A newer program has written the directory. */
export class DataNewerError extends Error {
  override readonly name = "DataNewerError";
}

/** From one format to the next. It must accept what an interrupted run of itself left. */
export interface Migration {
  /** Format that it starts from; it leads to the next one. */
  readonly from: number;
  /** What it does, for the log. */
  readonly summary: string;
  readonly run: (dataDir: string) => Promise<void>;
}

/** All migrations, by the format that they start from; there must be one for each past format. */
export const MIGRATIONS: readonly Migration[] = [];

export interface FormatOptions {
  readonly dataDir: string;
  readonly version: string;
  /** Format of the program. */
  readonly format?: number;
  readonly migrations?: readonly Migration[];
  /** Makes a backup of the directory in the file `to`. */
  readonly backUp: (to: string) => Promise<void>;
  readonly log: (message: string) => void;
}

async function mark(options: FormatOptions, format: number): Promise<void> {
  await writeFormatMark(options.dataDir, { format, program: options.version });
}

async function migrate(options: FormatOptions, from: number, to: number): Promise<void> {
  const { dataDir, migrations = MIGRATIONS, backUp, log } = options;
  const backup = join(dataDir, `before-format-${to}.tar`);
  // One that is there was made before an interrupted migration.
  if (!await Deno.stat(backup).then(() => true, () => false)) await backUp(backup);
  log(`Migrating ${dataDir} from format ${from} to ${to}; ${backup} is a backup from before`);
  for (let format = from; format < to; format++) {
    const migration = migrations.find((each) => each.from === format);
    if (migration === undefined) throw new RangeError(`No migration starts from format ${format}`);
    log(`Format ${format + 1}: ${migration.summary}`);
    await migration.run(dataDir);
    await mark(options, format + 1);
  }
}

/**
 * Reads the mark of a data directory.
 *
 * @throws {DataNewerError} where a newer program has written it.
 * @throws {DataIncompleteError} where its restore has not ended, or the mark cannot be read.
 */
export async function readKnownMark(
  dataDir: string,
  format: number = DATA_FORMAT,
): Promise<FormatMark | undefined> {
  if (await isUnfinished(dataDir)) {
    throw new DataIncompleteError(
      `Cannot use the data directory ${dataDir}: svc restore was ended before it had written ` +
        "all of it. Remove the directory, and restore the backup again",
    );
  }
  const found = await readFormatMark(dataDir).catch((cause) => {
    if (!(cause instanceof FormatMarkError)) throw cause;
    throw new DataIncompleteError(cause.message, { cause });
  });
  if (found === undefined || found.format <= format) return found;
  throw new DataNewerError(
    `Cannot use the data directory ${dataDir}: svc ${found.program} wrote it in format ` +
      `${found.format}, and this program reads format ${format} and older ones. Run the newer ` +
      "program, which svc upgrade installs, or restore a backup from before by svc restore",
  );
}

/**
 * Marks a new directory, migrates an older one after a backup, and refuses a newer one.
 *
 * @throws {DataNewerError} where a newer program has written it.
 */
export async function settleFormat(options: FormatOptions): Promise<void> {
  const { dataDir, format = DATA_FORMAT, log } = options;
  const found = await readKnownMark(dataDir, format);
  const isNew = found === undefined &&
    await Deno.stat(join(dataDir, "kv.sqlite3")).then(() => false, () => true);
  const stored = found?.format ?? (isNew ? format : UNMARKED_FORMAT);
  if (stored < format) await migrate(options, stored, format);
  if (found !== undefined) return;
  try {
    await mark(options, format);
  } catch (error) {
    // A platform serves from a full disk as well; the next start marks it.
    if (!isFullDisk(error)) throw error;
    log(`Cannot mark the data directory ${dataDir} with its format: the disk is full`);
  }
}
