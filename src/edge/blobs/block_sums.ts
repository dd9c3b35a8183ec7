/**
 * Sums of a blob's blocks: with them, a part of a blob is verified without
 * reading the rest of it.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { BlobCorruptError, type BlobReader } from "./blob_reader.ts";

type Bytes = Uint8Array<ArrayBuffer>;

export interface BlobName {
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
}

/** Bytes of a block; the last of a blob may be shorter. */
export const BLOCK_BYTES = 64 * 1024;

/** Of each block's SHA-256, as many bytes are kept: enough to notice any damage. */
const SUM_BYTES = 16;

const sumOf = (block: Uint8Array): Uint8Array =>
  createHash("sha256").update(block).digest().subarray(0, SUM_BYTES);

/** Cuts a stream that begins at a block's start into blocks. */
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

/** The sums of all blocks of one blob. */
export class BlockSums {
  private constructor(private readonly sums: Uint8Array) {}

  /**
   * Reads a blob whole and sums its blocks.
   *
   * @throws {BlobCorruptError} where its content has another hash.
   */
  static async of({ sha256, size }: BlobName, reader: BlobReader): Promise<BlockSums> {
    const sums = new Uint8Array(Math.ceil(size / BLOCK_BYTES) * SUM_BYTES);
    const hash = createHash("sha256");
    let offset = 0;
    for await (const block of blocksOf(await reader.stream(sha256))) {
      hash.update(block);
      if (offset < sums.byteLength) sums.set(sumOf(block), offset);
      offset += SUM_BYTES;
    }
    const found = hash.digest("hex");
    if (found === sha256) return new BlockSums(sums);
    throw new BlobCorruptError(sha256, `its content has the hash ${found}`);
  }

  /** Memory that the sums take, in bytes. */
  get byteLength(): number {
    return this.sums.byteLength;
  }

  /** Whether a block is as it was when the whole was verified. */
  fits(index: number, block: Uint8Array): boolean {
    const sum = sumOf(block);
    const known = this.sums.subarray(index * SUM_BYTES, (index + 1) * SUM_BYTES);
    return known.byteLength === SUM_BYTES && known.every((byte, at) => byte === sum[at]);
  }
}
