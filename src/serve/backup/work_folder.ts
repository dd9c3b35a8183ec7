/**
 * The folder in which a backup is created, next to the backup itself.
 *
 * @module
 */
import { dirname, join } from "node:path";
import { lockInTime } from "../../lib/file_lock.ts";
import { ifMissing } from "../../lib/missing_files.ts";
import { BackupError } from "./backup_layout.ts";

const LOCK = "lock";

/** A backup's files in the folder. */
const OWN_NAME = /^(?:lock|backup\.tar|kv\.sqlite3.*|dump-.*|database-.*|restored.*|blob)$/;

/** Maximum number of times to reopen a folder that its last user was about to remove. */
const MAX_ATTEMPTS = 5;

/**
 * Rejects a folder that other users have created or can read, because it will contain all secrets.
 */
async function refuseForeign(folder: string, to: string): Promise<void> {
  const { isDirectory, uid, mode } = await Deno.lstat(folder);
  const isOwn = Deno.build.os === "windows" || uid === Deno.uid() && (mode! & 0o077) === 0;
  if (isDirectory && isOwn) return;
  throw new BackupError(
    `Cannot write the backup ${to}: its work folder ${folder} already exists and is not a private folder of this user`,
    "Delete the folder, or choose another file",
  );
}

const busy = (to: string): BackupError =>
  new BackupError(
    `Cannot write the backup ${to}: another svc backup is writing it`,
    "Wait until that backup ends, or use another file",
  );

/** Locks a folder. Returns `undefined` if the folder was removed before it was locked. */
async function lockFolder(folder: string, to: string): Promise<Deno.FsFile | undefined> {
  const path = join(folder, LOCK);
  await Deno.mkdir(folder, { mode: 0o700 }).catch((error) => {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  });
  await refuseForeign(folder, to);
  const file = await Deno.open(path, { write: true, create: true, mode: 0o600 });
  if (!await lockInTime(file)) throw busy(to);
  const [locked, named] = [await file.stat(), await Deno.stat(path).catch(() => undefined)];
  if (named !== undefined && named.ino === locked.ino) return file;
  file.close();
  return undefined;
}

/** Locks a folder that other processes may create and remove at the same time. */
async function openFolder(folder: string, to: string): Promise<Deno.FsFile> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const lock = await lockFolder(folder, to).catch(ifMissing);
    if (lock !== undefined) return lock;
  }
  // This fails if the parent folder is missing.
  await Deno.stat(dirname(folder));
  throw busy(to);
}

/** Empties a folder that contains nothing but a backup's leftovers. */
async function emptyFolder(folder: string, to: string): Promise<void> {
  const names = (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name);
  const foreign = names.find((name) => !OWN_NAME.test(name));
  if (foreign !== undefined) {
    throw new BackupError(
      `Cannot write the backup ${to}: its work folder ${folder} contains ${foreign}`,
      "Move that folder away, or choose another file",
    );
  }
  for (const name of names) {
    if (name !== LOCK) await Deno.remove(join(folder, name), { recursive: true });
  }
}

/**
 * Runs `work` with an empty folder `<to>.partial` for its exclusive use, then removes the folder.
 * First removes any leftovers of a killed backup.
 *
 * @throws {BackupError} while another process uses the folder, or if the folder belongs to someone
 * else.
 */
export async function withWorkFolder<T>(
  to: string,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = `${to}.partial`;
  using _lock = await openFolder(folder, to);
  await emptyFolder(folder, to);
  try {
    return await work(folder);
  } finally {
    await Deno.remove(folder, { recursive: true }).catch(() => {});
  }
}
