/**
 * @module Checks a whole MMDB file. Afterwards, no lookup can read outside the file or run forever.
 */
import { inSteps, type Steps } from "../../lib/next_turn.ts";

/** The file is damaged, or not an MMDB file. */
export class DamagedDatabaseError extends Error {
  override readonly name = "DamagedDatabaseError";
}

/** The structure of the file according to its metadata. */
export interface MmdbShape {
  readonly nodeCount: number;
  /** Number of bits in half a node: 24, 28 or 32. */
  readonly recordSize: number;
  /** Offset of the metadata's content, after its marker. */
  readonly metadataStart: number;
}

/** Number of zero bytes between the search tree and the data section. */
const SEPARATOR_BYTES = 16;

/** Length of the marker before the metadata, in bytes. */
const MARKER_BYTES = 14;

/** Maximum nesting depth of a value. A pointer counts as a level. */
const MAX_DEPTH = 32;

/** The offset that is added to a pointer, by the pointer's size. */
const POINTER_BASES = [0, 2048, 526_336, 0] as const;

const [EXTENDED, POINTER, MAP, ARRAY, BOOLEAN] = [0, 1, 7, 11, 14];

/** Maximum value size for each type, in bytes. Other types are not part of the format. */
const MAX_SIZES: Readonly<Record<number, number>> = {
  2: Infinity,
  3: 8,
  4: Infinity,
  5: 2,
  6: 4,
  7: Infinity,
  8: 4,
  9: 8,
  10: 16,
  11: Infinity,
  14: 1,
  15: 4,
};

/** Minimum size of a value, in bytes, for types with a fixed size. */
const EXACT_SIZES: Readonly<Record<number, number>> = { 3: 8, 15: 4 };

class DataSection {
  /** Nesting depth of the values that have been checked, by offset. */
  readonly #checked = new Map<number, number>();

  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /**
   * Checks the value at an offset and every value that it points to. Returns the value's nesting
   * depth.
   */
  check(offset: number, depth: number): number {
    const known = this.#checked.get(offset);
    if (known !== undefined) {
      if (depth + known > MAX_DEPTH) throw this.#damage(offset, "it is nested too deeply");
      return known;
    }
    const { nests } = this.#value(offset, depth);
    this.#checked.set(offset, nests);
    return nests;
  }

  #value(offset: number, depth: number): { readonly next: number; readonly nests: number } {
    if (depth > MAX_DEPTH) throw this.#damage(offset, "it is nested too deeply");
    const control = this.#byte(offset);
    let type = control >> 5;
    let at = offset + 1;
    if (type === POINTER) {
      const { target, next } = this.#pointer(control, at);
      if (this.#byte(target) >> 5 === POINTER) throw this.#damage(offset, "it points to a pointer");
      return { next, nests: 1 + this.check(target, depth + 1) };
    }
    const isExtended = type === EXTENDED;
    if (isExtended) type = MAP + this.#byte(at++);
    const most = isExtended && type === MAP ? undefined : MAX_SIZES[type];
    if (most === undefined) throw this.#damage(offset, `it has an unknown type (${type})`);
    const sized = this.#size(control, at);
    if (sized.size > most || sized.size < (EXACT_SIZES[type] ?? 0)) {
      throw this.#damage(offset, `it has an invalid size (${sized.size})`);
    }
    if (type === MAP || type === ARRAY) return this.#items(type, sized, depth);
    const next = type === BOOLEAN ? sized.next : sized.next + sized.size;
    if (next > this.#bytes.byteLength) {
      throw this.#damage(offset, "it extends past the end of the data");
    }
    return { next, nests: 0 };
  }

  #items(type: number, { size, next }: { size: number; next: number }, depth: number) {
    let [at, nests] = [next, 0];
    for (let index = 0; index < size; index++) {
      if (type === MAP) at = this.#key(at);
      const item = this.#value(at, depth + 1);
      at = item.next;
      nests = Math.max(nests, 1 + item.nests);
    }
    return { next: at, nests };
  }

  /** Checks a map key, which is a string or a pointer to a string. */
  #key(offset: number): number {
    const control = this.#byte(offset);
    const isPointer = control >> 5 === POINTER;
    const text = isPointer ? this.#pointer(control, offset + 1).target : offset;
    if (this.#byte(text) >> 5 !== 2) throw this.#damage(offset, "it is not a field name");
    return this.#value(offset, MAX_DEPTH - 1).next;
  }

  #pointer(control: number, at: number) {
    const size = control >> 3 & 3;
    let value = size === 3 ? 0 : control & 7;
    for (let index = 0; index <= size; index++) value = value * 256 + this.#byte(at + index);
    return { target: POINTER_BASES[size]! + value, next: at + size + 1 };
  }

  #size(control: number, at: number): { readonly size: number; readonly next: number } {
    const short = control & 0x1f;
    if (short < 29) return { size: short, next: at };
    const extra = short - 28;
    let value = 0;
    for (let index = 0; index < extra; index++) value = value * 256 + this.#byte(at + index);
    return { size: value + [29, 285, 65_821][extra - 1]!, next: at + extra };
  }

  #byte(offset: number): number {
    const byte = this.#bytes[offset];
    if (byte === undefined) throw this.#damage(offset, "it is past the end of the data");
    return byte;
  }

  #damage(offset: number, reason: string): DamagedDatabaseError {
    return new DamagedDatabaseError(`the value at ${offset} of its data is damaged: ${reason}`);
  }
}

function recordsOf(bytes: Uint8Array, node: number, recordSize: number): [number, number] {
  const at = node * recordSize / 4;
  const read = (from: number, count: number) => {
    let value = 0;
    for (let index = 0; index < count; index++) value = value * 256 + bytes[from + index]!;
    return value;
  };
  if (recordSize !== 28) {
    const width = recordSize / 8;
    return [read(at, width), read(at + width, width)];
  }
  const middle = bytes[at + 3]!;
  return [(middle >> 4) * 2 ** 24 + read(at, 3), (middle & 15) * 2 ** 24 + read(at + 4, 3)];
}

/**
 * Checks every node of the search tree, and every value that a node refers to.
 *
 * @throws {DamagedDatabaseError} With the fault and its offset
 */
export function* checkMmdb(bytes: Uint8Array, shape: MmdbShape): Steps<void> {
  const { nodeCount, recordSize, metadataStart } = shape;
  const treeBytes = nodeCount * recordSize / 4;
  const dataStart = treeBytes + SEPARATOR_BYTES;
  const dataEnd = metadataStart - MARKER_BYTES;
  if (![24, 28, 32].includes(recordSize) || !Number.isSafeInteger(nodeCount) || nodeCount < 1) {
    throw new DamagedDatabaseError(`it declares ${nodeCount} nodes with ${recordSize}-bit records`);
  }
  if (dataStart > dataEnd) {
    throw new DamagedDatabaseError(`it ends early: its tree alone takes ${treeBytes} bytes`);
  }
  if (bytes.subarray(treeBytes, dataStart).some((byte) => byte !== 0)) {
    throw new DamagedDatabaseError(`its tree does not end at ${treeBytes}`);
  }
  const data = new DataSection(bytes.subarray(dataStart, dataEnd));
  yield* inSteps(nodesOf(nodeCount), (node) => {
    for (const record of recordsOf(bytes, node, recordSize)) {
      if (record <= nodeCount) continue;
      const offset = record - nodeCount - SEPARATOR_BYTES;
      if (offset < 0 || offset >= dataEnd - dataStart) {
        throw new DamagedDatabaseError(`node ${node} leads to ${record}, outside the file`);
      }
      data.check(offset, 0);
    }
  });
}

function* nodesOf(count: number): Generator<number> {
  for (let node = 0; node < count; node++) yield node;
}
