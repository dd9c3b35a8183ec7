/**
 * The format of a backup: a tar archive that starts with a description and ends with digests of
 * everything in between. The digests reveal truncated files.
 *
 * @module
 */
import * as z from "zod";

export const DESCRIPTION = "svc-backup.json";
export const DIGESTS = "digests.json";
export const KV = "kv.sqlite3";
export const KEYS = "keys.json";
export const BLOBS = "blobs";
export const BUILD_LOGS = "build_logs";

/** Repositories that were pushed to the platform. */
export const REPOSITORIES = "repositories";
/** Files of a repository in addition to its objects. Each ref is in one of these files. */
export const REPOSITORY_FILES = ["packed-refs", "HEAD", "config"];
/** Folders that git requires in a repository. */
export const REPOSITORY_FOLDERS = ["refs", "objects"];

/** Files of embedded databases. */
export const DATABASES = "databases";
/** A file with the names of a database's folders, some of which are empty. */
export const FOLDERS = "folders.json";

export const BACKUP_SCHEMA = "SVC_BACKUP_V1";

export const descriptionSchema = z.object({
  schemaVersion: z.literal(BACKUP_SCHEMA),
  /** Format of the source data directory. */
  format: z.int().positive(),
  /** Version of the program that created the backup. */
  program: z.string().max(128),
  createdAt: z.iso.datetime(),
});

/** The part of the description that is common to all versions. */
export const makerSchema = descriptionSchema.pick({ program: true });

export type BackupDescription = z.infer<typeof descriptionSchema>;

/** SHA-256 hashes by path. */
export const digestsSchema = z.record(z.string(), z.string().regex(/^[0-9a-f]{64}$/));

const DATABASE_PATHS =
  /^(?:databases\/[0-9a-f]{16}\/(?:names\.json|folders\.json|data(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}){1,6})|database_dumps\/[0-9a-f]{16}\.sql)$/;

const PATHS =
  /^(?:kv\.sqlite3|keys\.json|(?:blobs|build_logs)(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}){1,6})$/;

/** Refs are in one file. Objects are in packs, or loose after a small push. */
const REPOSITORY_PATHS =
  /^repositories\/[0-9a-f-]{36}\.git\/(?:HEAD|config|packed-refs|objects\/(?:pack\/pack-[0-9a-f]{40,64}\.(?:pack|idx|rev)|[0-9a-f]{2}\/[0-9a-f]{38,62}))$/;

/**
 * Returns true for a path that is allowed in a backup, except for the paths of the description and
 * the digests.
 */
export function isBackupPath(path: string): boolean {
  return [PATHS, DATABASE_PATHS, REPOSITORY_PATHS].some((paths) => paths.test(path));
}

/** An error for a backup that cannot be created or used. */
export class BackupError extends Error {
  override readonly name = "BackupError";

  constructor(message: string, readonly hint?: string, options?: ErrorOptions) {
    super(message, options);
  }
}

/** The amount of data that was packed or unpacked. */
export interface BackupReport {
  readonly files: number;
  readonly bytes: number;
}
