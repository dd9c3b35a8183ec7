/**
 * @module The folder for the temporary files of a server on Deno: a file system in memory, mounted
 * only for the server's process. If nothing can be mounted, it is a watched folder on disk.
 */
import { join } from "node:path";
import { type Libc, openLibc } from "../../kernel/libc.ts";
import {
  makeOwnMounts,
  mountMemory,
  RefusedCallError,
  temporaryOptions,
} from "../../kernel/mounts.ts";
import { systemCall } from "../../kernel/system_calls.ts";

/** Folders that every system has and no server needs, in order of preference. */
export const TEMPORARY_PLACES = ["/tmp", "/var/tmp", "/mnt", "/srv"] as const;

/** Name of the folder in the process's private folder, if nothing can be mounted. */
const FOLDER = "tmp";

const RLIMIT_FSIZE = 1;
const SIGXFSZ = 25;
const SIG_IGN = 1n;

const MIB = 1024 * 1024;

export interface TemporaryFolder {
  readonly path: string;
  /** True if the kernel limits the size of the folder. Otherwise, the folder must be watched. */
  readonly isLimited: boolean;
}

interface TemporaryOptions {
  /** Size in MiB. */
  readonly sizeMb: number;
  /** The process's private folder. */
  readonly folder: string;
  /** Paths that must remain visible. */
  readonly needed: readonly string[];
}

function findPlace(needed: readonly string[]): string | undefined {
  return TEMPORARY_PLACES.find((place) => {
    if (needed.some((path) => path === place || path.startsWith(`${place}/`))) return false;
    try {
      return Deno.lstatSync(place).isDirectory;
    } catch {
      return false;
    }
  });
}

/** Creates the folder for this thread, and for all threads that it starts from now on. */
export function openTemporaryFolder(
  { sizeMb, folder, needed }: TemporaryOptions,
): TemporaryFolder {
  const libc = openLibc();
  const place = findPlace([folder, ...needed]);
  if (libc !== undefined && place !== undefined) {
    try {
      makeOwnMounts(libc);
      mountMemory(libc, place, temporaryOptions(sizeMb));
      return { path: place, isLimited: true };
    } catch (error) {
      if (!(error instanceof RefusedCallError)) throw error;
    }
  }
  const path = join(folder, FOLDER);
  Deno.mkdirSync(path, { mode: 0o700 });
  if (libc !== undefined) limitFiles(libc, sizeMb);
  return { path, isLimited: false };
}

/**
 * Limits the size of each file that this process writes to `sizeMb`, the intended size of the
 * folder. Writes beyond that size fail.
 */
function limitFiles(libc: Libc, sizeMb: number): void {
  libc.signal(SIGXFSZ, SIG_IGN);
  const bytes = BigInt(sizeMb * MIB);
  const limit = new Uint8Array(BigUint64Array.of(bytes, bytes).buffer);
  systemCall(libc, "prlimit64", 0, RLIMIT_FSIZE, limit);
}
