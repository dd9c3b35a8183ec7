/**
 * Restores a backup into a new data directory.
 *
 * @module
 */
import { createTarDecoder, type ParsedTarEntry } from "modern-tar";
import { createHash } from "node:crypto";
import { dirname, join, resolve } from "node:path";
import {
  DATA_FORMAT,
  markFinished,
  markUnfinished,
  writeFormatMark,
} from "../../lib/data_format.ts";
import { describeFileFault, isFileFault } from "../../lib/file_fault.ts";
import { ifMissing, namesIn } from "../../lib/missing_files.ts";
import { syncFolder, syncTree } from "../../lib/sync_folder.ts";
import { systemClock } from "../../lib/clock.ts";
import { adoptDatabases } from "./adopt_databases.ts";
import { summarizeDamage } from "./damage_list.ts";
import { type Verified, verifyData } from "./verify_data.ts";
import {
  type BackupDescription,
  BackupError,
  type BackupReport,
  DESCRIPTION,
  descriptionSchema,
  DIGESTS,
  digestsSchema,
  isBackupPath,
  makerSchema,
  REPOSITORIES,
  REPOSITORY_FOLDERS,
} from "./backup_layout.ts";

export interface RestoreOptions {
  /** The backup's file, or its name for messages. */
  readonly from: string;
  /** Opens the archive; by default, opens the file. */
  readonly open?: () => ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Folder to create. If the folder exists, it must be empty. */
  readonly dataDir: string;
  /** True to restore data that was already damaged in the backup. */
  readonly takesDamaged?: boolean;
}

interface Unpacked extends BackupReport {
  readonly backup: BackupDescription;
}

export interface Restored extends Unpacked {
  /** Counts of the data that has been read and verified. */
  readonly verified: Verified;
}

/** Maximum size of a description or list of digests, in bytes. */
const MAX_TEXT_BYTES = 1024 ** 3;

const NO_BACKUP = "Use a file created by svc backup";
const CUT_OFF = "It is truncated: use another backup";

async function readJson(entry: ParsedTarEntry): Promise<unknown> {
  if (entry.header.size > MAX_TEXT_BYTES) throw new RangeError(`${entry.header.name} is too large`);
  return JSON.parse(await new Response(entry.body).text());
}

function readDescription(value: unknown, from: string): BackupDescription {
  const parsed = descriptionSchema.safeParse(value);
  if (!parsed.success) {
    const { data } = makerSchema.safeParse(value);
    throw new BackupError(
      `Cannot use ${from}: this program does not support its backup format`,
      data === undefined
        ? NO_BACKUP
        : `Use svc ${data.program}, which created it, or a newer version`,
    );
  }
  const { format, program } = parsed.data;
  if (format <= DATA_FORMAT) return parsed.data;
  throw new BackupError(
    `Cannot restore ${from}: its data has format ${format}, but this program reads format ` +
      `${DATA_FORMAT}`,
    `Use svc ${program} or a newer version`,
  );
}

/** Writes an entry below `folder` and returns its SHA-256 hash. */
async function unpack(entry: ParsedTarEntry, folder: string): Promise<string> {
  const path = join(folder, entry.header.name);
  await Deno.mkdir(dirname(path), { recursive: true, mode: 0o700 });
  using file = await Deno.open(path, { write: true, createNew: true, mode: 0o600 });
  const hash = createHash("sha256");
  for await (const bytes of entry.body) {
    hash.update(bytes);
    for (let offset = 0; offset < bytes.byteLength;) {
      offset += await file.write(bytes.subarray(offset));
    }
  }
  return hash.digest("hex");
}

async function unpackAll({ from, open }: RestoreOptions, folder: string): Promise<Unpacked> {
  const archive = open === undefined ? (await Deno.open(from)).readable : open();
  let backup: BackupDescription | undefined;
  let promised: Readonly<Record<string, string>> | undefined;
  const found = new Map<string, string>();
  let bytes = 0;
  const entries = archive.pipeThrough(createTarDecoder({ strict: true }));
  for await (const entry of entries) {
    const { name, type, size } = entry.header;
    if (backup === undefined && name === DESCRIPTION) {
      backup = readDescription(await readJson(entry), from);
    } else if (backup !== undefined && name === DIGESTS) {
      promised = digestsSchema.parse(await readJson(entry));
    } else if (backup !== undefined && type === "file" && isBackupPath(name)) {
      found.set(name, await unpack(entry, folder));
      bytes += size;
    } else {
      throw new BackupError(`Cannot use ${from}: it is not an svc backup`, NO_BACKUP);
    }
  }
  if (backup === undefined || promised === undefined) {
    throw new BackupError(`Cannot use ${from}: it is incomplete`, CUT_OFF);
  }
  const names = Object.keys(promised);
  const wrong = names.find((name) => found.get(name) !== promised[name]);
  if (wrong !== undefined || names.length !== found.size) {
    throw new BackupError(
      `Cannot use ${from}: ${wrong ?? "a file"} in it differs from the original`,
      "The file is damaged: use another backup",
    );
  }
  return { backup, files: found.size, bytes };
}

async function assertFree(dataDir: string): Promise<void> {
  if ((await namesIn(dataDir)).length === 0) return;
  throw new BackupError(
    `Cannot restore into ${dataDir}: it already contains data`,
    "Set a new folder with --data-dir, or move the data elsewhere",
  );
}

/** Creates the repositories' empty folders, because a backup does not contain them. */
async function completeRepositories(folder: string): Promise<void> {
  const root = join(folder, REPOSITORIES);
  for (const name of await namesIn(root)) {
    for (const each of REPOSITORY_FOLDERS) {
      await Deno.mkdir(join(root, name, each), { recursive: true, mode: 0o700 });
    }
  }
}

/**
 * Verifies everything that was unpacked, because a backup can contain data that was already
 * damaged.
 */
async function readBack(
  folder: string,
  { from, takesDamaged = false }: RestoreOptions,
): Promise<Verified> {
  const verified = await verifyData({ dataDir: folder, env: {}, now: systemClock() });
  if (verified.damage.length === 0 || takesDamaged) return verified;
  throw new BackupError(
    `Cannot restore ${from}: it contains data that was already damaged: ` +
      summarizeDamage(verified).replaceAll(folder, ""),
    "Use another backup, or add --damaged: svc serve then lists the damaged data, skips it " +
      "and serves the rest",
  );
}

/** Returns the error to report if a backup cannot be unpacked. */
function explain(cause: unknown, { from, dataDir }: RestoreOptions): unknown {
  if (cause instanceof BackupError) return cause;
  if (isFileFault(cause)) {
    const reason = describeFileFault(cause);
    return new BackupError(`Cannot restore ${from} into ${dataDir}: ${reason}`, undefined, {
      cause,
    });
  }
  return new BackupError(`Cannot read ${from}: it is damaged, or not a backup`, CUT_OFF, { cause });
}

/**
 * Unpacks a backup next to the new data directory, verifies every file, then renames it.
 *
 * @throws {BackupError} if the backup is damaged or too new, or the folder is in use.
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { dataDir } = options;
  const folder = `${dataDir}.${crypto.randomUUID()}.restoring`;
  try {
    await assertFree(dataDir);
    await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
    await markUnfinished(folder);
    const restored = await unpackAll(options, folder);
    const verified = await readBack(folder, options);
    await adoptDatabases(folder);
    await completeRepositories(folder);
    const { format, program } = restored.backup;
    await writeFormatMark(folder, { format, program });
    await syncTree(folder);
    await markFinished(folder);
    await Deno.remove(dataDir).catch(ifMissing);
    await Deno.rename(folder, dataDir);
    await syncFolder(dataDir);
    await syncFolder(dirname(resolve(dataDir)));
    return { ...restored, verified };
  } catch (error) {
    await Deno.remove(folder, { recursive: true }).catch(() => {});
    throw explain(error, options);
  }
}
