/**
 * @module Creates private mounts for a thread, which are visible only to the thread and the
 * processes that it starts.
 */
import type { Libc } from "./libc.ts";
import { type CallName, systemCall } from "./system_calls.ts";

const CLONE_NEWNS = 0x00020000;

const MS_NOSUID = 2;
const MS_NODEV = 4;
const MS_REC = 0x4000;
const MS_PRIVATE = 0x40000;

/** An error for a system call that fails. The error's message names the call. */
export class RefusedCallError extends Error {
  override readonly name = "RefusedCallError";
}

/** Converts text for the C library. */
export const cString = (text: string): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(`${text}\0`);

/**
 * Makes a system call like `systemCall()`, but throws an error if the call fails.
 *
 * @throws {RefusedCallError} if the call fails
 */
export function mustCall(
  libc: Libc,
  name: CallName,
  ...args: Parameters<typeof systemCall>[2][]
): number {
  const result = systemCall(libc, name, ...args);
  if (result < 0) throw new RefusedCallError(`The system rejects ${name} (error ${-result})`);
  return result;
}

/**
 * Gives this thread, and everything that it starts from now on, a separate mount namespace.
 *
 * @throws {RefusedCallError}
 */
export function makeOwnMounts(libc: Libc): void {
  mustCall(libc, "unshare", CLONE_NEWNS);
  mustCall(libc, "mount", cString("none"), cString("/"), 0, MS_REC | MS_PRIVATE, 0);
}

/**
 * Mounts an empty folder in memory.
 *
 * @param options options of tmpfs(5): size and owner
 * @throws {RefusedCallError}
 */
export function mountMemory(libc: Libc, folder: string, options: string): void {
  const flags = MS_NOSUID | MS_NODEV;
  mustCall(
    libc,
    "mount",
    cString("svc"),
    cString(folder),
    cString("tmpfs"),
    flags,
    cString(options),
  );
}

/** Maximum number of files and folders per MiB of a temporary folder's size. */
const FILES_PER_MB = 256;

/** Returns the mount options for one user's temporary folder. */
export function temporaryOptions(sizeMb: number, uid?: number): string {
  const owner = uid === undefined ? "" : `,uid=${uid},gid=${uid}`;
  return `mode=0700,size=${sizeMb}m,nr_inodes=${sizeMb * FILES_PER_MB}${owner}`;
}
