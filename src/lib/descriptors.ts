/**
 * @module Reads the limit and the list of this process's descriptors (files, sockets), and prevents
 * child processes from inheriting them. This requires Linux with the GNU C library. On other
 * systems, this module does nothing.
 */
import { lazyLibc } from "./libc.ts";
import { rawNames } from "./raw_folder.ts";

const SYMBOLS = {
  close: { parameters: ["i32"], result: "i32" },
  fcntl: { parameters: ["i32", "i32", "i32"], result: "i32" },
  readlink: { parameters: ["buffer", "buffer", "usize"], result: "isize" },
  closeRange: { name: "syscall", parameters: ["i64", "u64", "u64", "u64"], result: "i64" },
} as const;

export interface Descriptor {
  readonly number: number;
  /** The target: a path, or a name such as `pipe:[3]`, `socket:[4]`, `anon_inode:[eventpoll]`. */
  readonly target: string;
  /**
   * Whether this process inherited the descriptor, so programs that this process starts get it too.
   */
  readonly inherited: boolean;
}

const CLOSE_RANGE = 436n;
const CLOSE_RANGE_CLOEXEC = 4n;
const ALL = 0xffff_ffffn;

const F_GETFD = 1;
const F_SETFD = 2;
const F_DUPFD_CLOEXEC = 1030;
const FD_CLOEXEC = 1;

const STDERR = 2;
/** The first number after standard input, output and error. */
const FIRST_OTHER = 3;

const PATH_BYTES = 4096;

const cString = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(`${text}\0`);

const libc = lazyLibc(SYMBOLS);

/** Finds the soft limit in the text of `/proc/self/limits` (proc(5)); `Infinity` if unlimited. */
export function parseDescriptorLimit(limits: string): number | undefined {
  const soft = /^Max open files\s+(\d+|unlimited)\s/m.exec(limits)?.[1];
  if (soft === undefined) return undefined;
  return soft === "unlimited" ? Infinity : Number(soft);
}

/**
 * Returns the number of descriptors that this process may open, or `undefined` if the system does
 * not report the number.
 */
export function descriptorLimit(): number | undefined {
  try {
    return parseDescriptorLimit(Deno.readTextFileSync("/proc/self/limits"));
  } catch {
    return undefined;
  }
}

/**
 * Returns the number of the next descriptor: the lowest free number, so at least that many are
 * open. Returns `Infinity` if none is free, and 0 on systems other than Linux with the GNU C
 * library.
 */
export function nextDescriptor(): number {
  const library = libc();
  if (library === undefined) return 0;
  const next = library.fcntl(STDERR, F_DUPFD_CLOEXEC, 0);
  if (next < 0) return Infinity;
  library.close(next);
  return next;
}

/**
 * Returns the numbers in use. Reads them without the runtime, whose permissions may exclude
 * `/proc`.
 */
function numbers(): number[] {
  const names = rawNames("/proc/self/fd") ?? [];
  return names.map((name) => Number(new TextDecoder().decode(name))).sort((a, b) => a - b);
}

/** Returns all open descriptors, or `undefined` if the system does not list them. */
export function openDescriptors(): readonly Descriptor[] | undefined {
  const library = libc();
  if (library === undefined) return undefined;
  const all = numbers();
  // If the list is empty, the system has no /proc.
  if (all.length === 0) return undefined;
  const target = new Uint8Array(PATH_BYTES);
  return all.flatMap((number) => {
    const flags = library.fcntl(number, F_GETFD, 0);
    const size = Number(
      library.readlink(cString(`/proc/self/fd/${number}`), target, BigInt(PATH_BYTES)),
    );
    // The descriptor was closed after the folder was read.
    if (flags < 0 || size < 0) return [];
    return [{
      number,
      target: new TextDecoder().decode(target.subarray(0, size)),
      inherited: (flags & FD_CLOEXEC) === 0,
    }];
  });
}

/**
 * Prevents child processes from inheriting descriptors, except standard input, output and error.
 */
export function keepDescriptors(): void {
  const library = libc();
  if (library === undefined) return;
  const first = BigInt(FIRST_OTHER);
  if (library.closeRange(CLOSE_RANGE, first, ALL, CLOSE_RANGE_CLOEXEC) === 0n) return;
  // Linux before 5.11 has no CLOSE_RANGE_CLOEXEC.
  for (const number of numbers()) {
    if (number < FIRST_OTHER) continue;
    library.fcntl(number, F_SETFD, library.fcntl(number, F_GETFD, 0) | FD_CLOEXEC);
  }
}
