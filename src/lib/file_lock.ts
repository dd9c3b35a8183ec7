/**
 * Locks on files, which the system frees when the process ends.
 *
 * @module
 */

/** How long to wait for a lock by default, in milliseconds; after that, another process holds it. */
const LOCK_MS = 300;

/**
 * Locks the file for this process alone; false if another one holds the lock, and the file
 * is then closed in time. (Deno 2.6 cannot try for a lock, only wait for it.)
 */
export async function lockInTime(file: Deno.FsFile, waitMs = LOCK_MS): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<false>((resolve) => timer = setTimeout(() => resolve(false), waitMs));
  const locking = file.lock(true).then(() => true as const);
  const locked = await Promise.race([locking, late]);
  clearTimeout(timer);
  if (!locked) locking.finally(() => file.close());
  return locked;
}
