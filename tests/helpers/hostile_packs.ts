/**
 * Builds git objects and packs byte by byte, so that they can be invalid in ways that git never
 * produces.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";

const encoder = new TextEncoder();

export type Bytes = Uint8Array<ArrayBuffer>;

/** The SHA that means "no object". */
export const NONE = "0".repeat(40);

const NUMBERS = { commit: 1, tree: 2, blob: 3, tag: 4 } as const;
const OFFSET_DELTA = 6;
const NAMED_DELTA = 7;

export type ObjectType = keyof typeof NUMBERS;

export const bytesOf = (content: string | Uint8Array): Bytes =>
  typeof content === "string" ? encoder.encode(content) : new Uint8Array(content);

/** Concatenates strings and bytes. */
export function joined(...parts: readonly (string | Uint8Array)[]): Bytes {
  const all = parts.map(bytesOf);
  const result = new Uint8Array(all.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let place = 0;
  for (const part of all) {
    result.set(part, place);
    place += part.byteLength;
  }
  return result;
}

/** One object in a pack. */
export interface Entry {
  /**
   * The number that stands for the object's type in a pack. It can be one that git does not know.
   */
  readonly number: number;
  /** The size declared in the header, regardless of the content. */
  readonly size: number;
  /** Bytes between the header and the content, which identify a delta's base. */
  readonly base?: Bytes;
  readonly content: Bytes;
}

export interface GitObject extends Entry {
  readonly sha: string;
}

export function object(type: ObjectType, content: string | Uint8Array): GitObject {
  const bytes = bytesOf(content);
  const sha = createHash("sha1").update(joined(`${type} ${bytes.byteLength}\0`, bytes))
    .digest("hex");
  return { number: NUMBERS[type], size: bytes.byteLength, content: bytes, sha };
}

export interface TreeEntry {
  readonly mode: string;
  readonly name: string | Uint8Array;
  readonly sha: string;
}

/** Builds a tree with its entries in the given order. */
export const tree = (entries: readonly TreeEntry[]): GitObject =>
  object(
    "tree",
    joined(
      ...entries.flatMap(({ mode, name, sha }) => [
        `${mode} `,
        name,
        "\0",
        Uint8Array.fromHex(sha),
      ]),
    ),
  );

const PERSON = "Eve <eve@example.com> 1700000000 +0000";

export const commit = (treeSha: string, more = ""): GitObject =>
  object("commit", `tree ${treeSha}\n${more}author ${PERSON}\ncommitter ${PERSON}\n\nTrick\n`);

/** Encodes an entry's header: its type, and its size in groups of seven bits. */
function entryHead(number: number, size: number): Bytes {
  const bytes = [number << 4 | size % 16];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1]! |= 0x80;
    bytes.push(rest % 128);
  }
  return Uint8Array.from(bytes);
}

/** Builds an entry with compressed content. */
export const packed = ({ number, size, base = new Uint8Array(), content }: Entry): Bytes =>
  joined(entryHead(number, size), base, new Uint8Array(deflateSync(content)));

export interface PackOptions {
  readonly magic?: string;
  readonly version?: number;
  /** Number of objects that the header declares. */
  readonly count?: number;
  /** Bytes after the last object, before the checksum. */
  readonly garbage?: Uint8Array;
  /** A checksum to use instead of the correct one. */
  readonly sum?: Uint8Array;
}

/** Builds a pack. Parts without an option are correct. */
export function pack(entries: readonly (Entry | Bytes)[], options: PackOptions = {}): Bytes {
  const { magic = "PACK", version = 2, count = entries.length } = options;
  const head = new DataView(new ArrayBuffer(8));
  head.setUint32(0, version);
  head.setUint32(4, count);
  const body = joined(
    magic,
    new Uint8Array(head.buffer),
    ...entries.map((entry) => entry instanceof Uint8Array ? entry : packed(entry)),
    options.garbage ?? "",
  );
  return joined(body, options.sum ?? createHash("sha1").update(body).digest());
}

/** Encodes a size in a delta as groups of seven bits, lowest group first. */
export function deltaSize(size: number): number[] {
  const bytes = [size % 128];
  for (let rest = Math.floor(size / 128); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1]! |= 0x80;
    bytes.push(rest % 128);
  }
  return bytes;
}

/** Encodes a delta instruction that copies from the base. */
export function copy(offset: number, size: number): number[] {
  const bytes = [0x80];
  [offset, offset >>> 8, offset >>> 16, offset >>> 24, size, size >>> 8, size >>> 16]
    .forEach((value, bit) => {
      if ((value & 0xff) === 0) return;
      bytes[0]! |= 1 << bit;
      bytes.push(value & 0xff);
    });
  return bytes;
}

/** Builds a delta whose base is an object with the given SHA. */
export const namedDelta = (base: string, delta: readonly number[] | Bytes): Entry => ({
  number: NAMED_DELTA,
  size: delta.length,
  base: Uint8Array.fromHex(base),
  content: Uint8Array.from(delta),
});

/** Builds a delta whose base is an earlier object in the pack. `base` is the encoded distance. */
export const offsetDelta = (base: readonly number[], delta: readonly number[]): Entry => ({
  number: OFFSET_DELTA,
  size: delta.length,
  base: Uint8Array.from(base),
  content: Uint8Array.from(delta),
});
