/**
 * The folder that contains a platform's data, and the lock that keeps a second platform out.
 *
 * @module
 */
import { describeFileFault } from "../../../lib/file_fault.ts";
import { lockInTime } from "../../../lib/file_lock.ts";
import { join } from "node:path";

/**
 * How long a killed process may take to finish its disk writes and release its lock, in
 * milliseconds.
 */
const ENDING_MS = 3000;

/** How long to wait when checking the lock, in milliseconds. */
const LOOK_MS = 300;

export interface DataDir {
  readonly root: string;
  readonly kv: string;
  readonly blobs: string;
  readonly logs: string;
  /** Data that can be rebuilt at any time. */
  readonly cache: string;
  /** The keys with which secrets are encrypted. */
  readonly keys: string;
  /** Releases the lock, so another platform can use the folder. */
  release(): void;
}

export class DataDirInUseError extends Error {
  override readonly name = "DataDirInUseError";
  constructor(root: string) {
    super(
      `Cannot use the data directory ${root}: another svc serve is using it. Stop it, or choose another directory with --data-dir`,
    );
  }
}

export class DataDirUnusableError extends Error {
  override readonly name = "DataDirUnusableError";
  constructor(root: string, cause: unknown) {
    const reason = describeFileFault(cause);
    super(
      `Cannot use the data directory ${root}: ${reason}. Choose a writable directory with --data-dir`,
      { cause },
    );
  }
}

/**
 * Creates the data directory if it is missing, readable only by its owner, and locks it for this
 * process. The system releases the lock when the process exits for any reason.
 *
 * @throws {DataDirInUseError} if another process holds the lock.
 * @throws {DataDirUnusableError} if the data directory cannot be created or written.
 */
export async function openDataDir(root: string): Promise<DataDir> {
  const [blobs, logs] = [join(root, "blobs"), join(root, "logs")];
  let lock: Deno.FsFile;
  try {
    await Deno.mkdir(root, { recursive: true, mode: 0o700 });
    lock = await Deno.open(join(root, "lock"), { write: true, create: true, mode: 0o600 });
    for (const path of [blobs, logs]) await Deno.mkdir(path, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new DataDirUnusableError(root, cause);
  }
  if (!await lockInTime(lock, ENDING_MS)) throw new DataDirInUseError(root);
  const [kv, keys] = [join(root, "kv.sqlite3"), join(root, "keys.json")];
  const cache = join(root, "cache");
  return { root, kv, blobs, logs, cache, keys, release: () => lock.close() };
}

/**
 * Locks a data directory. Does nothing for other folders.
 *
 * @throws {DataDirInUseError} if another process holds the lock.
 */
export async function lockIfDataDir(root: string, waitMs = ENDING_MS): Promise<Disposable> {
  let lock: Deno.FsFile;
  try {
    lock = await Deno.open(join(root, "lock"), { write: true });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { [Symbol.dispose]: () => {} };
    throw new DataDirUnusableError(root, error);
  }
  if (!await lockInTime(lock, waitMs)) throw new DataDirInUseError(root);
  return lock;
}

/** Returns whether a platform is running on a data directory. */
export async function isServed(root: string): Promise<boolean> {
  try {
    using _lock = await lockIfDataDir(root, LOOK_MS);
    return false;
  } catch (error) {
    if (error instanceof DataDirInUseError) return true;
    throw error;
  }
}
