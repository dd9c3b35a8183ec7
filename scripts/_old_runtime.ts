/**
 * What the base runtime 2.6 lacks of the Deno that the source is written for.
 * The bundle loads it first; on a newer runtime it does nothing.
 *
 * `FsFile.tryLockSync` (Deno 2.7): here the kernel's list of locks (proc(5),
 * `/proc/locks`) tells whether another process holds the file. The lock itself
 * is the system's in either case.
 *
 * @module
 */

/** Processes that hold an flock on a file with this inode, on any file system. */
export function holdersOf(inode: number, locks: string): number[] {
  return locks.split("\n").flatMap((line) => {
    const [, kind, , , pid, place] = line.trim().split(/\s+/);
    return kind === "FLOCK" && place?.split(":")[2] === String(inode) ? Number(pid) : [];
  });
}

/** True where the process has the very file open; also where that can not be seen. */
function hasOpen(pid: number, file: Deno.FileInfo): boolean {
  const folder = `/proc/${pid}/fd`;
  try {
    for (const { name } of Deno.readDirSync(folder)) {
      const open = Deno.statSync(`${folder}/${name}`);
      if (open.ino === file.ino && open.dev === file.dev) return true;
    }
    return false;
  } catch (error) {
    return !(error instanceof Deno.errors.NotFound);
  }
}

/** Locks the file unless another process holds it. */
export function tryLockByKernelList(file: Deno.FsFile, exclusive: boolean): boolean {
  const info = file.statSync();
  const holders = holdersOf(info.ino ?? 0, Deno.readTextFileSync("/proc/locks"));
  if (holders.some((pid) => pid !== Deno.pid && hasOpen(pid, info))) return false;
  file.lockSync(exclusive);
  return true;
}

if (!("tryLockSync" in Deno.FsFile.prototype)) {
  Object.defineProperty(Deno.FsFile.prototype, "tryLockSync", {
    value(this: Deno.FsFile, exclusive = false): boolean {
      return tryLockByKernelList(this, exclusive);
    },
  });
}
