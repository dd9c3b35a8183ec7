/**
 * The open descriptors of this process: which there are, and keeping them from
 * the programs that it starts. Linux with the GNU C library; elsewhere nothing
 * is known and nothing is kept.
 *
 * @module
 */

const SYMBOLS = {
  open: { parameters: ["buffer", "i32", "i32"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
  fcntl: { parameters: ["i32", "i32", "i32"], result: "i32" },
  readlink: { parameters: ["buffer", "buffer", "usize"], result: "isize" },
  getdents: {
    name: "syscall",
    parameters: ["i64", "i64", "buffer", "u64"],
    result: "i64",
  },
  closeRange: { name: "syscall", parameters: ["i64", "u64", "u64", "u64"], result: "i64" },
} as const;

type Libc = Deno.DynamicLibrary<typeof SYMBOLS>["symbols"];

/** A descriptor of this process. */
export interface Descriptor {
  readonly number: number;
  /** What it leads to: a path, or a name such as `pipe:[3]`, `socket:[4]`, `anon_inode:[eventpoll]`. */
  readonly target: string;
  /** True where a program that this process starts gets it too, as this process itself got it. */
  readonly inherited: boolean;
}

const GETDENTS64: Readonly<Record<string, bigint>> = { x86_64: 217n, aarch64: 61n };
const CLOSE_RANGE = 436n;
const CLOSE_RANGE_CLOEXEC = 4n;
const ALL = 0xffff_ffffn;

const F_GETFD = 1;
const F_SETFD = 2;
const FD_CLOEXEC = 1;
const O_RDONLY_DIRECTORY_CLOEXEC = Deno.build.arch === "aarch64" ? 0x84000 : 0x90000;

/** The first number after standard input, output and error. */
const FIRST_OTHER = 3;

const PATH_BYTES = 4096;

const cString = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(`${text}\0`);

let opened: Libc | undefined;

function libc(): Libc | undefined {
  if (Deno.build.os !== "linux") return undefined;
  try {
    return opened ??= Deno.dlopen("libc.so.6", SYMBOLS).symbols;
  } catch {
    return undefined;
  }
}

/** Names in a block that getdents64(2) has written. */
function* namesIn(block: Uint8Array<ArrayBuffer>): Generator<string> {
  const view = new DataView(block.buffer, block.byteOffset, block.byteLength);
  for (let at = 0; at < block.byteLength; at += view.getUint16(at + 16, true)) {
    const name = block.subarray(at + 19, block.indexOf(0, at + 19));
    yield new TextDecoder().decode(name);
  }
}

/** The numbers in use; read without the runtime, whose permissions may not reach `/proc`. */
function numbers(library: Libc): number[] {
  const call = GETDENTS64[Deno.build.arch];
  const folder = library.open(cString("/proc/self/fd"), O_RDONLY_DIRECTORY_CLOEXEC, 0);
  if (call === undefined || folder < 0) return [];
  const found: number[] = [];
  const block = new Uint8Array(32 * 1024);
  for (;;) {
    const size = Number(library.getdents(call, BigInt(folder), block, BigInt(block.byteLength)));
    if (size <= 0) break;
    for (const name of namesIn(block.subarray(0, size))) {
      if (/^\d+$/.test(name) && Number(name) !== folder) found.push(Number(name));
    }
  }
  library.close(folder);
  return found.sort((one, other) => one - other);
}

/** All open descriptors; `undefined` where the system does not say. */
export function openDescriptors(): readonly Descriptor[] | undefined {
  const library = libc();
  if (library === undefined) return undefined;
  const all = numbers(library);
  // Without /proc there would be none at all.
  if (all.length === 0) return undefined;
  const target = new Uint8Array(PATH_BYTES);
  return all.flatMap((number) => {
    const flags = library.fcntl(number, F_GETFD, 0);
    const size = Number(
      library.readlink(cString(`/proc/self/fd/${number}`), target, BigInt(PATH_BYTES)),
    );
    // It was closed since the folder was read.
    if (flags < 0 || size < 0) return [];
    return [{
      number,
      target: new TextDecoder().decode(target.subarray(0, size)),
      inherited: (flags & FD_CLOEXEC) === 0,
    }];
  });
}

/**
 * Keeps every descriptor but standard input, output and error from programs
 * that this process starts: what it inherited itself stays with it.
 */
export function keepDescriptors(): void {
  const library = libc();
  if (library === undefined) return;
  const first = BigInt(FIRST_OTHER);
  if (library.closeRange(CLOSE_RANGE, first, ALL, CLOSE_RANGE_CLOEXEC) === 0n) return;
  // Linux before 5.11.
  for (const number of numbers(library)) {
    if (number < FIRST_OTHER) continue;
    library.fcntl(number, F_SETFD, library.fcntl(number, F_GETFD, 0) | FD_CLOEXEC);
  }
}
