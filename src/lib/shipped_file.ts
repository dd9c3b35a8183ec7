/**
 * @module Large files in the compiled program. The runtime reads and copies all packed files at
 * every process start. For Linux, `scripts/compile.ts` therefore attaches large files to the
 * executable, between the runtime and the packed files, where they cost nothing until they are
 * read.
 */
import { sha256Hex } from "./hash.ts";

/** Packed file with the index of the attached files; missing if no files are attached. */
export const ATTACHED_INDEX = "attached.json";

/** The attached files, as recorded by `scripts/compile.ts`. */
export interface AttachedIndex {
  /** Total length of all attached files, in bytes. */
  readonly bytes: number;
  /** Keyed by paths in the staging folder, which is packed into the program. */
  readonly files: Readonly<
    Record<string, { readonly offset: number; readonly bytes: number; readonly sha256: string }>
  >;
}

/** The trailer of a Linux executable: a number, the hash of a name, and a length. */
export const TRAILER_BYTES = 16;
const TRAILER_MAGIC = 0x501e;

/**
 * Returns the size of the packed data at the end of an executable, given the executable's last
 * {@link TRAILER_BYTES} bytes. Returns `undefined` if these have a different format.
 */
export function packedBytes(trailer: Uint8Array): number | undefined {
  const view = new DataView(trailer.buffer, trailer.byteOffset, TRAILER_BYTES);
  return view.getUint32(0, true) === TRAILER_MAGIC ? Number(view.getBigUint64(8, true)) : undefined;
}

function readFully(file: Deno.FsFile, offset: number, bytes: Uint8Array): void {
  file.seekSync(offset, Deno.SeekMode.Start);
  for (let at = 0; at < bytes.byteLength;) {
    const read = file.readSync(bytes.subarray(at));
    if (read === null) throw new Error("it ends too early");
    at += read;
  }
}

/**
 * Reads a file that is attached to an executable.
 *
 * @throws {Error} If the executable does not match the index.
 */
export function readAttached(
  program: string,
  index: AttachedIndex,
  path: string,
): Uint8Array<ArrayBuffer> {
  const entry = index.files[path];
  if (entry === undefined) throw new TypeError(`Cannot read ${path}: it is not attached`);
  using file = Deno.openSync(program);
  try {
    const { size } = file.statSync();
    const trailer = new Uint8Array(TRAILER_BYTES);
    readFully(file, size - TRAILER_BYTES, trailer);
    const packed = packedBytes(trailer);
    if (packed === undefined) throw new Error("its end is missing");
    const bytes = new Uint8Array(entry.bytes);
    readFully(file, size - packed - index.bytes + entry.offset, bytes);
    if (sha256Hex(bytes) !== entry.sha256) throw new Error("its digest is wrong");
    return bytes;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`Install svc again: ${path} inside it is damaged (${reason})`, { cause });
  }
}

/** The running executable, even if another one has replaced it. */
const RUNNING = "/proc/self/exe";

let known: AttachedIndex | null | undefined;

function attachedIndex(): AttachedIndex | null {
  if (known !== undefined) return known;
  try {
    const text = Deno.readTextFileSync(new URL(`./${ATTACHED_INDEX}`, Deno.mainModule));
    known = JSON.parse(text) as AttachedIndex;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    known = null;
  }
  return known;
}

/**
 * Reads a file from the compiled program by its path in the staging folder.
 *
 * @throws {Error} If the file is damaged.
 */
export function readShippedFile(path: string): Uint8Array<ArrayBuffer> {
  const index = attachedIndex();
  return index !== null && path in index.files
    ? readAttached(RUNNING, index, path)
    : Deno.readFileSync(new URL(`./${path}`, Deno.mainModule));
}
