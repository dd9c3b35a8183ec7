/**
 * @module Lists the names in a folder exactly as the system stores them. `Deno.readDir` silently
 * leaves out names that are not valid UTF-8. This requires Linux with the GNU C library. Other
 * systems allow no such names, or do not offer the necessary call.
 */
import { lazyLibc } from "./libc.ts";

const SYMBOLS = {
  open: { parameters: ["buffer", "i32", "i32"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
  getdents: {
    name: "syscall",
    parameters: ["i64", "i64", "buffer", "u64"],
    result: "i64",
  },
} as const;

const GETDENTS64: Readonly<Record<string, bigint>> = { x86_64: 217n, aarch64: 61n };
const O_RDONLY_DIRECTORY_CLOEXEC = Deno.build.arch === "aarch64" ? 0x84000 : 0x90000;
const BLOCK_BYTES = 32 * 1024;

/** Offsets of the length and the name in a getdents64(2) record. */
const LENGTH_AT = 16;
const NAME_AT = 19;

const libc = lazyLibc(SYMBOLS);

/** Yields the names in a block that getdents64(2) has written. */
function* namesIn(block: Uint8Array<ArrayBuffer>): Generator<Uint8Array<ArrayBuffer>> {
  const view = new DataView(block.buffer, block.byteOffset, block.byteLength);
  for (let at = 0; at < block.byteLength; at += view.getUint16(at + LENGTH_AT, true)) {
    yield block.slice(at + NAME_AT, block.indexOf(0, at + NAME_AT));
  }
}

const isDots = (name: Uint8Array): boolean =>
  name.byteLength <= 2 && name.every((byte) => byte === 0x2e);

/**
 * Returns the bytes of each name in a folder, or `undefined` if the system does not provide them.
 */
export function rawNames(path: string): readonly Uint8Array<ArrayBuffer>[] | undefined {
  const call = GETDENTS64[Deno.build.arch];
  const library = libc();
  if (library === undefined || call === undefined) return undefined;
  const folder = library.open(
    new TextEncoder().encode(`${path}\0`),
    O_RDONLY_DIRECTORY_CLOEXEC,
    0,
  );
  if (folder < 0) return undefined;
  const found: Uint8Array<ArrayBuffer>[] = [];
  const block = new Uint8Array(BLOCK_BYTES);
  for (;;) {
    const size = Number(library.getdents(call, BigInt(folder), block, BigInt(BLOCK_BYTES)));
    if (size <= 0) break;
    for (const name of namesIn(block.subarray(0, size))) if (!isDots(name)) found.push(name);
  }
  library.close(folder);
  return found;
}
