/**
 * Migrates a data directory to a later format.
 *
 * Before its data is changed, the directory is marked with the new format and the current step. If
 * the process is interrupted, an older program then rejects the directory, and a newer program
 * continues.
 *
 * @module
 */
import { join } from "node:path";
import { type FormatMark, writeFormatMark } from "../lib/data_format.ts";
import { describeFileFault, isFileFault } from "../lib/file_fault.ts";
import { messageOf } from "../lib/error_message.ts";
import { isRemoteStore } from "../platform/core/store/mod.ts";
import { BackupError } from "./backup/backup_layout.ts";

/** Locations of a platform's data. */
export interface DataPlaces {
  readonly dataDir: string;
  /** Path of the key-value store. */
  readonly kv: string;
  /** Folder of the blobs, or the URL of object storage. */
  readonly blobs: string;
}

/**
 * Migrates from one format to the next. A migration must tolerate the leftovers of an interrupted
 * run.
 */
export interface Migration {
  /** The source format. The migration leads to the next format. */
  readonly from: number;
  /** Summary of the migration, for the log. */
  readonly summary: string;
  /** Flushes its writes to disk. */
  readonly run: (places: DataPlaces) => Promise<void>;
}

/** All migrations, by source format. There must be one migration for each past format. */
export const MIGRATIONS: readonly Migration[] = [];

/** An error for a data directory that cannot be migrated to this program's format. */
export class DataNotMigratedError extends Error {
  override readonly name = "DataNotMigratedError";
}

export interface MigrateOptions {
  readonly places: DataPlaces;
  /** Version of this program. */
  readonly version: string;
  readonly migrations: readonly Migration[];
  /** Creates a backup of the directory in the file `to`. */
  readonly backUp: (to: string) => Promise<void>;
  readonly log: (message: string) => void;
}

interface Journey {
  readonly from: number;
  readonly to: number;
  /** Name of the backup created before the migration. */
  readonly backup: string;
}

function reasonOf(cause: unknown): string {
  if (isFileFault(cause)) return describeFileFault(cause);
  if (cause instanceof BackupError && isFileFault(cause.cause)) {
    return describeFileFault(cause.cause);
  }
  return messageOf(cause);
}

async function mark(options: MigrateOptions, { from, to, backup }: Journey): Promise<void> {
  await writeFormatMark(options.places.dataDir, {
    format: to,
    program: options.version,
    ...(from < to && { migration: { from, backup } }),
  });
}

/** Creates the backup, then marks the directory as migrating. */
async function begin(options: MigrateOptions, { from, to }: Omit<Journey, "backup">) {
  const { places: { dataDir }, backUp, log } = options;
  const journey: Journey = { from, to, backup: `before-format-${to}.tar` };
  const path = join(dataDir, journey.backup);
  try {
    await backUp(path);
    // The backup is removed, because a platform that stays on the older version may need the space.
    await mark(options, journey).catch(async (error) => {
      await Deno.remove(path).catch(() => {});
      throw error;
    });
  } catch (cause) {
    throw new DataNotMigratedError(
      `Cannot migrate the data directory ${dataDir} to format ${to}: svc cannot create a ` +
        `backup in it first: ${reasonOf(cause)}. Nothing was changed: fix this and ` +
        "start again, or use the previous program",
      { cause },
    );
  }
  log(`Created the backup ${path}. Migrating ${dataDir} from format ${from} to ${to}`);
  return journey;
}

/** Continues a migration that an earlier run began. */
function resume(options: MigrateOptions, { from, backup }: Omit<Journey, "to">, to: number) {
  const { places: { dataDir }, log } = options;
  log(`Continuing the interrupted migration of ${dataDir} from format ${from} to ${to}`);
  return { from, to, backup };
}

async function runSteps(options: MigrateOptions, journey: Journey): Promise<void> {
  const { places, migrations, log } = options;
  for (let { from } = journey; from < journey.to; from++) {
    const migration = migrations.find((each) => each.from === from);
    if (migration === undefined) throw new RangeError(`No migration starts from format ${from}`);
    log(`Format ${from + 1}: ${migration.summary}`);
    await migration.run(places);
    await mark(options, { ...journey, from: from + 1 });
  }
}

/**
 * Migrates to format `to` after a backup. `found` is what the directory's marker says.
 *
 * @throws {DataNotMigratedError} with the state of the directory, and how to continue or go back
 */
export async function migrateFormat(
  options: MigrateOptions,
  found: FormatMark | undefined,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  const { dataDir, kv } = options.places;
  if (isRemoteStore(kv)) {
    throw new DataNotMigratedError(
      `Cannot migrate the data directory ${dataDir} to format ${to}: its records are on another ` +
        "machine, which this program cannot migrate",
    );
  }
  const journey = found?.migration === undefined
    ? await begin(options, { from, to })
    : resume(options, found.migration, to);
  try {
    await runSteps(options, journey);
  } catch (cause) {
    const backup = join(dataDir, journey.backup);
    throw new DataNotMigratedError(
      `Cannot finish the migration of the data directory ${dataDir} to format ${to}: ` +
        `${reasonOf(cause)}. Fix this and start again to continue. To go back instead, ` +
        `restore ${backup} with svc restore into another directory, for the previous program`,
      { cause },
    );
  }
}
