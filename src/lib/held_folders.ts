/**
 * @module Temporary folders, each of which is in use as long as its process holds a lock on a file
 * in it. A killed process holds no locks, so any process that starts later can remove its folders,
 * even if that process uses a different store.
 */
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Kinds of held folders. In a folder's name, the kind follows `svc-`. */
const KINDS = ["notify", "preview", "probe", "sandbox", "store", "verify"] as const;
type Kind = (typeof KINDS)[number];

/** The file that is locked. */
const LOCK = ".svc-in-use";

/** Linux's in-memory folder, for content that does not fit on disk. */
const MEMORY = "/dev/shm";

/** Age below which a folder might not be locked yet, in milliseconds. */
const YOUNG_MS = 60_000;

export interface HeldFolder extends AsyncDisposable {
  readonly path: string;
}

/** Creates a temporary folder, which is removed on disposal. */
export async function makeHeldFolder(
  kind: Kind,
  { inMemory = false }: { readonly inMemory?: boolean } = {},
): Promise<HeldFolder> {
  const path = await Deno.makeTempDir({
    prefix: `svc-${kind}-`,
    ...(inMemory ? { dir: MEMORY } : {}),
  });
  const lock = await Deno.open(join(path, LOCK), { createNew: true, read: true, write: true });
  await lock.tryLock(true);
  return {
    path,
    async [Symbol.asyncDispose]() {
      lock.close();
      await Deno.remove(path, { recursive: true });
    },
  };
}

/**
 * Returns whether a folder belongs to this user and is old enough, and the process that created it
 * is no longer running.
 */
async function isLeft(path: string): Promise<boolean> {
  const { uid, mtime } = await Deno.lstat(path);
  if (uid !== Deno.uid() || mtime === null || Date.now() - mtime.getTime() < YOUNG_MS) return false;
  using lock = await Deno.open(join(path, LOCK), { read: true, write: true });
  return await lock.tryLock(true);
}

/** Removes folders that this user's killed processes have left behind. */
export async function removeLeftFolders(): Promise<void> {
  const name = new RegExp(`^svc-(?:${KINDS.join("|")})-`);
  for (const room of [tmpdir(), MEMORY]) {
    const entries = await Array.fromAsync(Deno.readDir(room)).catch(() => []);
    for (const entry of entries.filter((entry) => entry.isDirectory && name.test(entry.name))) {
      const path = join(room, entry.name);
      if (!await isLeft(path).catch(() => false)) continue;
      await Deno.remove(path, { recursive: true }).catch(() => {});
    }
  }
}
