/**
 * @module Checksums of a blob's blocks. They make it possible to verify part of a blob without
 * reading the rest.
 */
import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { BlobCorruptError, type BlobReader } from "./blob_reader.ts";

type Bytes = Uint8Array<ArrayBuffer>;

export interface BlobName {
  readonly sha256: string;
  /** In bytes. */
  readonly size: number;
}

/** Size of a block in bytes. The last block of a blob may be shorter. */
export const BLOCK_BYTES = 64 * 1024;

/** Splits a stream into blocks. The stream must begin at the start of a block. */
export async function* blocksOf(stream: ReadableStream<Bytes>): AsyncGenerator<Bytes> {
  let block = new Uint8Array(BLOCK_BYTES);
  let filled = 0;
  for await (const chunk of stream) {
    for (let at = 0; at < chunk.byteLength;) {
      const part = chunk.subarray(at, at + BLOCK_BYTES - filled);
      block.set(part, filled);
      at += part.byteLength;
      filled += part.byteLength;
      if (filled < BLOCK_BYTES) continue;
      yield block;
      block = new Uint8Array(BLOCK_BYTES);
      filled = 0;
    }
  }
  if (filled > 0) yield block.subarray(0, filled);
}

/** Checksums of all blocks of a blob. They detect damage, but not forgery. */
export class BlockSums {
  readonly #sums: Uint32Array;

  private constructor(sums: Uint32Array) {
    this.#sums = sums;
  }

  /**
   * Reads a whole blob and computes the checksums of its blocks.
   *
   * @throws {BlobCorruptError} If its content has a different hash
   */
  static async of({ sha256, size }: BlobName, reader: BlobReader): Promise<BlockSums> {
    const sums = new Uint32Array(Math.ceil(size / BLOCK_BYTES));
    const hash = createHash("sha256");
    let index = 0;
    for await (const block of blocksOf(await reader.stream(sha256))) {
      hash.update(block);
      sums[index++] = crc32(block);
    }
    const found = hash.digest("hex");
    if (found === sha256) return new BlockSums(sums);
    throw new BlobCorruptError(sha256, `its content has the hash ${found}`);
  }

  /** Memory of the checksums, in bytes. */
  get byteLength(): number {
    return this.#sums.byteLength;
  }

  /** Whether a block is unchanged since the whole blob was verified. */
  fits(index: number, block: Uint8Array): boolean {
    return this.#sums[index] === crc32(block);
  }
}
