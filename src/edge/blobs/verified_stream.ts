/** @module Streams of large blobs, which fail rather than deliver damaged content. */
import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { SingleFlight } from "../../lib/single_flight.ts";
import type { ByteRange } from "../ranges/byte_ranges.ts";
import { BlobCorruptError, type BlobFile, type BlobReader } from "./blob_reader.ts";
import { type BlobName, BLOCK_BYTES, blocksOf, BlockSums } from "./block_sums.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** Verifies the content of a blob while it is sent. */
interface Verifier {
  add(chunk: Bytes): void;
  /**
   * Returns a description of what is wrong with the content, or `undefined` if the content is
   * sound.
   */
  finish(): string | undefined;
}

/**
 * Verifies a blob by its hash. `onSound` receives a checksum, which makes later verifications of
 * the blob faster.
 */
function verifyByHash({ sha256 }: BlobName, onSound: (checksum: number) => void): Verifier {
  const hash = createHash("sha256");
  let checksum = 0;
  return {
    add(chunk) {
      hash.update(chunk);
      checksum = crc32(chunk, checksum);
    },
    finish() {
      const found = hash.digest("hex");
      if (found !== sha256) return `its content has the hash ${found}`;
      onSound(checksum);
      return undefined;
    },
  };
}

/** Verifies a blob, at more than 20 GB/s, by the checksum of its previously verified content. */
function verifyByChecksum(known: number, onSound: (checksum: number) => void): Verifier {
  let checksum = 0;
  return {
    add: (chunk) => void (checksum = crc32(chunk, checksum)),
    finish() {
      if (checksum !== known) return "it has changed since it was verified";
      onSound(checksum);
      return undefined;
    },
  };
}

/**
 * Passes a blob through with a delay of one chunk. If the content is damaged, the stream fails
 * before the last chunk, so the client sees a broken transfer instead of a wrong file.
 */
function verifyingStream(
  stream: ReadableStream<Bytes>,
  verifier: Verifier,
  damaged: (found: string) => Promise<Error>,
): ReadableStream<Bytes> {
  const reader = stream.getReader();
  let held: Bytes | undefined;
  return new ReadableStream({
    async pull(controller) {
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        verifier.add(next.value);
        const ready = held;
        held = next.value;
        if (ready !== undefined) return controller.enqueue(ready);
      }
      const found = verifier.finish();
      if (found !== undefined) throw await damaged(found);
      if (held !== undefined) controller.enqueue(held);
      controller.close();
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
}

/**
 * Maximum number of blobs that are remembered as verified. If there are more, all are forgotten.
 */
const MAX_REMEMBERED = 65_536;

/** How long a verified file is sent without another verification, in milliseconds. */
const TRUSTED_MS = 10 * 60_000;

interface VerifiedBlob {
  readonly checksum: number;
  /** Fingerprint of the file that was verified, or `undefined` if the blob is not a file. */
  readonly fingerprint: string | undefined;
  /** When the blob was verified, by a monotonic clock, in milliseconds. */
  readonly at: number;
}

/** Memory for block checksums, in bytes: enough for 512 GiB of blobs. */
const MAX_SUM_BYTES = 32 * 1024 * 1024;

/**
 * Opens blobs as streams. The first full transfer of each blob is verified by its hash while it is
 * sent. After that, the runtime sends the blob's file directly. If the file has changed or ten
 * minutes have passed, the next transfer is verified by a checksum. Every block of a range is
 * verified each time, so the whole blob is read once before its first range is sent.
 */
export class BlobStreams {
  /** The blobs that were verified, by hash. */
  readonly #verified = new Map<string, VerifiedBlob>();
  readonly #sums = new Map<string, BlockSums>();
  readonly #summing = new SingleFlight<BlockSums>();
  #sumBytes = 0;

  readonly #now: () => number;

  /** `now` is a monotonic clock, in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * Opens a whole blob. A stream that is being verified fails before its last bytes if the blob is
   * damaged.
   */
  async whole(blob: BlobName, reader: BlobReader): Promise<ReadableStream<Bytes>> {
    const { sha256 } = blob;
    const file = await reader.openFile?.(sha256);
    const known = this.#verified.get(sha256);
    if (file !== undefined && known !== undefined && this.#isTrusted(known, file)) {
      return file.stream;
    }
    const onSound = (checksum: number) => this.#remember(sha256, checksum, file?.fingerprint);
    const verifier = known === undefined
      ? verifyByHash(blob, onSound)
      : verifyByChecksum(known.checksum, onSound);
    const stream = file?.stream ?? await reader.stream(sha256);
    return verifyingStream(stream, verifier, async (found) => {
      await this.#report(blob, reader);
      return new BlobCorruptError(sha256, found);
    });
  }

  #isTrusted(known: VerifiedBlob, file: BlobFile): boolean {
    return known.fingerprint === file.fingerprint && this.#now() - known.at < TRUSTED_MS;
  }

  /**
   * Opens a range of a blob. The stream fails at a damaged block.
   *
   * @throws {BlobCorruptError} If the blob, or the first block of the range, is damaged
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
   * Computes the checksums that ranges of a blob need.
   *
   * @throws {BlobCorruptError} If the blob's content has a different hash
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

  /** Returns the checksums of a blob. Concurrent requests share one computation. */
  #sumOnce(blob: BlobName, reader: BlobReader): Promise<BlockSums> {
    const known = this.#sums.get(blob.sha256);
    if (known !== undefined) return Promise.resolve(known);
    return this.#summing.run(blob.sha256, () => this.#sum(blob, reader));
  }

  async #sum(blob: BlobName, reader: BlobReader): Promise<BlockSums> {
    try {
      const sums = await BlockSums.of(blob, reader);
      this.#keepSums(blob.sha256, sums);
      return sums;
    } catch (error) {
      if (error instanceof BlobCorruptError) await this.#report(blob, reader);
      throw error;
    }
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

  #remember(sha256: string, checksum: number, fingerprint: string | undefined): void {
    if (this.#verified.size >= MAX_REMEMBERED) this.#verified.clear();
    this.#verified.set(sha256, { checksum, fingerprint, at: this.#now() });
  }
}
