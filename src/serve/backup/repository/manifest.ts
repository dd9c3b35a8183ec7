/**
 * Describes a backup in a location, in small plain-text files. Backups can therefore be listed and
 * pruned without a key. The files contain numbers and part names, but no content.
 *
 * @module
 */
import * as z from "zod";

export const REPOSITORY_SCHEMA = "SVC_BACKUPS_V1";

/** Matches the name of a backup. Sorted by name, backups are in chronological order. */
const BACKUP_NAME = /^\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}Z$/;

const count = z.int().nonnegative();

export const manifestSchema = z.object({
  schemaVersion: z.literal(REPOSITORY_SCHEMA),
  createdAt: z.iso.datetime(),
  /** Version of the program that created the backup. */
  program: z.string().max(128),
  /**
   * Public keys of those who can open the backup. There are none if the backup is not encrypted.
   */
  recipients: z.array(z.string().max(256)).max(64),
  files: count,
  bytes: count,
  /** The parts in order. Together, they form the archive that `svc backup` writes. */
  parts: z.array(z.string().regex(/^[0-9a-f]{64}$/)),
});
export type Manifest = z.infer<typeof manifestSchema>;

/** Counts from a backup's test restore. */
export const checkSchema = z.object({
  checkedAt: z.iso.datetime(),
  records: count,
  blobs: count,
  databases: count,
  /** Number of rows that could be counted, in all databases. */
  rows: count,
});
export type Check = z.infer<typeof checkSchema>;

/** Facts about a backup, without its content. */
export interface ListedBackup {
  readonly name: string;
  readonly createdAt: string;
  readonly program: string;
  readonly encrypted: boolean;
  readonly files: number;
  readonly bytes: number;
  /** `null` if restoring the backup was never tested. */
  readonly check: Check | null;
}

export const partKey = (name: string): string => `parts/${name.slice(0, 2)}/${name}`;
export const PARTS = "parts/";
export const BACKUPS = "backups/";
export const manifestKey = (name: string): string => `${BACKUPS}${name}.json`;
export const checkKey = (name: string): string => `${BACKUPS}${name}.checked.json`;

/** Returns the backup's name if the key belongs to a manifest. */
export function backupOf(key: string): string | undefined {
  const name = /^backups\/([^/.]+)\.json$/.exec(key)?.[1];
  return name !== undefined && BACKUP_NAME.test(name) ? name : undefined;
}

const nameAt = (time: number): string =>
  new Date(time).toISOString().replace(/\.\d+Z$/, "Z").replaceAll(":", "-");

const timeOf = (name: string): number =>
  Date.parse(name.replace(/T(\d\d)-(\d\d)-(\d\d)Z/, "T$1:$2:$3Z")) || 0;

/**
 * Returns a name for a backup that was created at `time`. The name sorts after all existing names,
 * even if the clock was set back or there are two backups within a second.
 */
export const nameAfter = (newest: string | undefined, time: number): string =>
  nameAt(newest === undefined ? time : Math.max(time, timeOf(newest) + 1000));
