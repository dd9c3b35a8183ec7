/**
 * Describes a backup in a location: small plain-text files, so that backups can be listed and
 * pruned without a key. They contain numbers and names of parts, but no content.
 *
 * @module
 */
import * as z from "zod";

export const REPOSITORY_SCHEMA = "SVC_BACKUPS_V1";

/** Names sort by the time of the backup. */
export const BACKUP_NAME = /^\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}Z$/;

const count = z.int().nonnegative();

export const manifestSchema = z.object({
  schemaVersion: z.literal(REPOSITORY_SCHEMA),
  createdAt: z.iso.datetime(),
  /** Version of the program that created the backup. */
  program: z.string().max(128),
  /** Public keys whose owners can open it; none if it is not encrypted. */
  recipients: z.array(z.string().max(256)).max(64),
  files: count,
  bytes: count,
  /** The parts in order. Together, they form the archive that `svc backup` writes. */
  parts: z.array(z.string().regex(/^[0-9a-f]{64}$/)),
});
export type Manifest = z.infer<typeof manifestSchema>;

/** Counts of the test restore of a backup. */
export const checkSchema = z.object({
  checkedAt: z.iso.datetime(),
  records: count,
  blobs: count,
  databases: count,
  /** Rows in all tables of all databases. */
  rows: count,
});
export type Check = z.infer<typeof checkSchema>;

/** A backup in a list. */
export interface ListedBackup {
  readonly name: string;
  readonly createdAt: string;
  readonly program: string;
  readonly encrypted: boolean;
  readonly files: number;
  readonly bytes: number;
  /** `null` if it was never restored for a check. */
  readonly check: Check | null;
}

export const partKey = (name: string): string => `parts/${name.slice(0, 2)}/${name}`;
export const PARTS = "parts/";
export const BACKUPS = "backups/";
export const manifestKey = (name: string): string => `${BACKUPS}${name}.json`;
export const checkKey = (name: string): string => `${BACKUPS}${name}.checked.json`;

/** Returns the name of the backup if the key is a manifest's. */
export function backupOf(key: string): string | undefined {
  const name = /^backups\/([^/.]+)\.json$/.exec(key)?.[1];
  return name !== undefined && BACKUP_NAME.test(name) ? name : undefined;
}

const nameAt = (time: number): string =>
  new Date(time).toISOString().replace(/\.\d+Z$/, "Z").replaceAll(":", "-");

const timeOf = (name: string): number =>
  Date.parse(name.replace(/T(\d\d)-(\d\d)-(\d\d)Z/, "T$1:$2:$3Z")) || 0;

/**
 * Returns a backup name for this time that sorts after all existing names, even if the clock was
 * set back, or if there are two backups within a second.
 */
export const nameAfter = (newest: string | undefined, time: number): string =>
  nameAt(newest === undefined ? time : Math.max(time, timeOf(newest) + 1000));
