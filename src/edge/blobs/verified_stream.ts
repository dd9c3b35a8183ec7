/**
 * Streams of large blobs that never end well with the wrong content.
 *
 * @module
 */
import { createHash } from "node:crypto";
import type { ByteRange } from "../ranges/mod.ts";
import { BlobCorruptError, type BlobReader } from "./blob_reader.ts";
import { type BlobName, BLOCK_BYTES, blocksOf, BlockSums } from "./block_sums.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Passes a blob on, one chunk behind, and fails instead of sending the last
 * chunk where the content does not have the promised hash: the client sees a
 * broken transfer, not a wrong file.
 */
export function verifyingStream(
  blob: BlobName,
  told: { onVerified(): void; onDamaged(): Promise<void> },
): TransformStream<Bytes, Bytes> {
  const hash = createHash("sha256");
  let held: Bytes | undefined;
  return new TransformStream({
    transform(chunk, controller) {
      hash.update(chunk);
      if (held !== undefined) controller.enqueue(held);
      held = chunk;
    },
    async flush(controller) {
      const found = hash.digest("hex");
      if (found !== blob.sha256) {
        await told.onDamaged();
        throw new BlobCorruptError(blob.sha256, `its content has the hash ${found}`);
      }
      told.onVerified();
      if (held !== undefined) controller.enqueue(held);
    },
  });
}

/** Most blobs whose verification is remembered; then the memory starts afresh. */
const MAX_REMEMBERED = 65_536;

/** Memory for sums of blocks, in bytes: those of 128 GiB of blobs. */
const MAX_SUM_BYTES = 32 * 1024 * 1024;

/**
 * Opens blobs as streams. The first full transfer of each blob is verified on
 * its way; later ones go straight through: HTTP's framing fails on a blob that
 * has become shorter. Of ranges, every block is verified each time: before the
 * first range of a blob is answered, the whole is read once and summed.
 */
export class BlobStreams {
  readonly #verified = new Set<string>();
  readonly #sums = new Map<string, BlockSums>();
  readonly #summing = new Map<string, Promise<BlockSums>>();
  #sumBytes = 0;

  /** All bytes of a blob. */
  async whole(blob: BlobName, reader: BlobReader): Promise<ReadableStream<Bytes>> {
    const stream = await reader.stream(blob.sha256);
    if (this.#verified.has(blob.sha256)) return stream;
    return stream.pipeThrough(verifyingStream(blob, {
      onVerified: () => this.#remember(blob.sha256),
      onDamaged: () => this.#report(blob, reader),
    }));
  }

  /**
   * The bytes of a range.
   *
   * @throws {BlobCorruptError} where the blob, or the first block of the range, is damaged; a
   * later damaged block breaks the stream off.
   */
  async range(
    blob: BlobName,
    range: ByteRange,
    reader: BlobReader,
  ): Promise<ReadableStream<Bytes>> {
    const sums = await this.#sumOnce(blob, reader);
    const parts = this.#verifiedParts(blob, { range, sums, reader });
    let first: IteratorResult<Bytes, void> | undefined = await parts.next();
    return new ReadableStream({
      async pull(controller) {
        const part = first ?? await parts.next();
        first = undefined;
        if (part.done === true) controller.close();
        else controller.enqueue(part.value);
      },
      cancel: async () => void await parts.return(),
    }, { highWaterMark: 0 });
  }

  /**
   * Makes a blob ready for ranges.
   *
   * @throws {BlobCorruptError} where its content has another hash.
   */
  async prepareRanges(blob: BlobName, reader: BlobReader): Promise<void> {
    await this.#sumOnce(blob, reader);
  }

  async *#verifiedParts(
    blob: BlobName,
    { range, sums, reader }: {
      readonly range: ByteRange;
      readonly sums: BlockSums;
      readonly reader: BlobReader;
    },
  ): AsyncGenerator<Bytes, void> {
    let index = Math.floor(range.start / BLOCK_BYTES);
    let offset = index * BLOCK_BYTES;
    const end = Math.min((Math.floor(range.end / BLOCK_BYTES) + 1) * BLOCK_BYTES, blob.size) - 1;
    for await (const block of blocksOf(await reader.stream(blob.sha256, { start: offset, end }))) {
      if (!sums.fits(index, block)) {
        await this.#report(blob, reader);
        throw new BlobCorruptError(blob.sha256, `its bytes from ${offset} on have changed`);
      }
      yield block.subarray(Math.max(0, range.start - offset), range.end + 1 - offset);
      offset += block.byteLength;
      index++;
    }
    if (offset <= end) throw new BlobCorruptError(blob.sha256, "it has become shorter");
  }

  /** The sums of a blob's blocks; all who need them while they are made wait for the same. */
  #sumOnce(blob: BlobName, reader: BlobReader): Promise<BlockSums> {
    const known = this.#sums.get(blob.sha256);
    if (known !== undefined) return Promise.resolve(known);
    const underWay = this.#summing.get(blob.sha256);
    if (underWay !== undefined) return underWay;
    const summing = BlockSums.of(blob, reader).then((sums) => {
      this.#keepSums(blob.sha256, sums);
      return sums;
    }, async (error) => {
      if (error instanceof BlobCorruptError) await this.#report(blob, reader);
      throw error;
    }).finally(() => this.#summing.delete(blob.sha256));
    this.#summing.set(blob.sha256, summing);
    return summing;
  }

  #keepSums(sha256: string, sums: BlockSums): void {
    this.#sums.set(sha256, sums);
    this.#sumBytes += sums.byteLength;
    for (const oldest of this.#sums.keys()) {
      if (this.#sumBytes <= MAX_SUM_BYTES) return;
      this.#forgetSums(oldest);
    }
  }

  #forgetSums(sha256: string): void {
    this.#sumBytes -= this.#sums.get(sha256)?.byteLength ?? 0;
    this.#sums.delete(sha256);
  }

  async #report({ sha256 }: BlobName, reader: BlobReader): Promise<void> {
    this.#forgetSums(sha256);
    this.#verified.delete(sha256);
    await reader.reportDamage?.(sha256);
  }

  #remember(sha256: string): void {
    if (this.#verified.size >= MAX_REMEMBERED) this.#verified.clear();
    this.#verified.add(sha256);
  }
}
