/**
 * The blobs of one workspace in object storage. A blob is fetched when it is first read. From then
 * on, it is read from a local file, as on a platform without object storage.
 *
 * @module
 */
import { join } from "node:path";
import pMap from "p-map";
import type { Clock } from "../../../lib/clock.ts";
import { sha256Hex } from "../../../lib/hash.ts";
import { SingleFlight } from "../../../lib/single_flight.ts";
import {
  BlobDamagedError,
  type BlobFile,
  BlobMismatchError,
  blobPath,
  type BlobStore,
  type ByteRange,
  type DiskCache,
  FsBlobStore,
  type Versioned,
} from "../store/mod.ts";
import type { BlobMark, BlobMarks } from "./blob_marks.ts";
import { FileChangedError, type S3Bucket } from "./s3_bucket.ts";

/**
 * How long a known blob is assumed to exist, in milliseconds. This is well below the delay before
 * removals.
 */
const TRUSTED_MS = 6 * 60 * 60_000;

/** Maximum number of blobs to remember for a workspace. Beyond it, all of them are forgotten. */
const MAX_REMEMBERED = 1_000_000;

/** Maximum number of blobs that are looked up or fetched at the same time. */
const PARALLEL = 32;

/** How many times to fetch a file that vanishes before it is opened. */
const MAX_FETCHES = 3;

/** How many times to fetch content that arrives damaged. */
const MAX_DOWNLOADS = 3;

/** Pause between checks of a blob that is being removed, in milliseconds. */
const REMOVAL_PAUSE_MS = 250;

interface S3BlobStoreOptions {
  readonly workspaceId: string;
  readonly bucket: S3Bucket;
  readonly marks: BlobMarks;
  readonly cache: DiskCache;
  /** The folder for cached files. */
  readonly root: string;
  readonly now: Clock;
  /** Called with a message for the operator if an object is damaged. */
  onDamaged(message: string): void;
}

export function objectKey(workspaceId: string, sha256: string): string {
  return `${workspaceId}/${sha256.slice(0, 2)}/${sha256}`;
}

interface KnownBlob {
  readonly size: number;
  readonly at: number;
}

export class S3BlobStore implements BlobStore {
  readonly #local: FsBlobStore;
  readonly #folder: string;
  readonly #fetches = new SingleFlight<void>();
  /** Blobs that, when last checked, were in the storage and had no mark. */
  readonly #seen = new Map<string, KnownBlob>();

  readonly #options: S3BlobStoreOptions;

  constructor(options: S3BlobStoreOptions) {
    this.#options = options;
    const { root, workspaceId } = options;
    this.#folder = join(root, workspaceId);
    this.#local = new FsBlobStore({
      root: this.#folder,
      incoming: join(root, "incoming"),
      damaged: join(root, "damaged", workspaceId),
      isCache: true,
      onUse: () => {},
      // A cached file can be fetched again, so a damaged one is deleted.
      onDamaged: (sha256, movedTo) => {
        options.cache.remove(this.#nameOf(sha256));
        Deno.removeSync(movedTo);
      },
    });
  }

  async put(sha256: string, content: Uint8Array): Promise<void> {
    const actual = sha256Hex(content);
    if (actual !== sha256) throw new BlobMismatchError(sha256, actual);
    const bytes = content.slice();
    await this.#publish(
      sha256,
      content.byteLength,
      (key) => this.#options.bucket.put(key, bytes, sha256),
    );
    await this.#local.put(sha256, content);
    this.#options.cache.add(this.#nameOf(sha256), content.byteLength);
  }

  async putStream(
    sha256: string,
    content: ReadableStream<Uint8Array>,
    options: { readonly maxBytes: number },
  ): Promise<void> {
    await this.#local.putStream(sha256, content, options);
    await this.#upload(sha256);
  }

  async add(
    content: ReadableStream<Uint8Array>,
    options: { readonly maxBytes: number },
  ): Promise<{ readonly sha256: string; readonly size: number }> {
    const added = await this.#local.add(content, options);
    await this.#upload(added.sha256);
    return added;
  }

  async #upload(sha256: string): Promise<void> {
    const path = blobPath(this.#folder, sha256);
    const { size } = await Deno.stat(path);
    try {
      await this.#publish(
        sha256,
        size,
        (key) => this.#options.bucket.putFile(key, { path, size, sha256 }),
      );
    } catch (error) {
      if (error instanceof FileChangedError) await this.#local.reportDamage(sha256);
      throw error;
    } finally {
      // The file is added to the cache only now, because the cache may evict it immediately.
      this.#options.cache.add(this.#nameOf(sha256), size);
    }
  }

  async size(sha256: string): Promise<number | undefined> {
    return await this.verify(sha256);
  }

  async verify(sha256: string): Promise<number | undefined> {
    const known = this.#trusted(sha256);
    if (known !== undefined) return known;
    const at = this.#options.now();
    // The mark is removed first: without a mark, nothing removes the object for a day.
    if (await this.#options.marks.takeBack(this.#blob(sha256)) !== undefined) return undefined;
    const size = await this.#options.bucket.size(this.#key(sha256));
    if (size !== undefined) this.#remember(sha256, { size, at });
    return size;
  }

  async verifyAll(hashes: readonly string[]): Promise<ReadonlyMap<string, number | undefined>> {
    const sizes = new Map<string, number | undefined>();
    const others: string[] = [];
    for (const sha256 of hashes) {
      const size = this.#trusted(sha256);
      if (size === undefined) others.push(sha256);
      else sizes.set(sha256, size);
    }
    await pMap(others, async (sha256) => void sizes.set(sha256, await this.verify(sha256)), {
      concurrency: PARALLEL,
    });
    return sizes;
  }

  /**
   * Either this file or the object may be damaged, so the file is removed and the object is
   * checked.
   */
  async reportDamage(sha256: string): Promise<void> {
    await this.#local.reportDamage(sha256);
    await this.#fetch(sha256).catch((error) => {
      if (!(error instanceof BlobDamagedError)) throw error;
    });
  }

  async read(sha256: string): Promise<Uint8Array<ArrayBuffer>> {
    return await this.#withFile(sha256, () => this.#local.read(sha256));
  }

  async stream(
    sha256: string,
    range?: ByteRange,
  ): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    return await this.#withFile(sha256, () => this.#local.stream(sha256, range));
  }

  openFile(sha256: string): Promise<BlobFile> {
    return this.#withFile(sha256, () => this.#local.openFile(sha256));
  }

  async link(sha256: string, path: string): Promise<void> {
    await this.#withFile(sha256, () => this.#local.link(sha256, path));
  }

  /** Runs `work`, which reads a blob's file. Fetches the file first if it is missing or damaged. */
  async #withFile<T>(sha256: string, work: () => Promise<T>): Promise<T> {
    for (let fetches = 0;; fetches++) {
      try {
        const result = await work();
        this.#options.cache.touch(this.#nameOf(sha256));
        return result;
      } catch (error) {
        if (!(error instanceof BlobDamagedError) || fetches === MAX_FETCHES) throw error;
      }
      await this.#fetch(sha256);
    }
  }

  /** Concurrent requests for a blob share one fetch. */
  #fetch(sha256: string): Promise<void> {
    return this.#fetches.run(sha256, async () => {
      for (let attempt = 1;; attempt++) {
        try {
          return await this.#download(sha256);
        } catch (error) {
          if (!(error instanceof BlobMismatchError)) throw error;
          if (attempt === MAX_DOWNLOADS) throw await this.#reportObject(sha256, error);
        }
      }
    });
  }

  async #download(sha256: string): Promise<void> {
    const size = await this.#options.bucket.get(this.#key(sha256), async (content) => {
      let bytes = 0;
      const counted = content.pipeThrough(
        new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
          transform(chunk, controller) {
            bytes += chunk.byteLength;
            controller.enqueue(chunk);
          },
        }),
      );
      await this.#local.putStream(sha256, counted, { maxBytes: Number.MAX_SAFE_INTEGER });
      return bytes;
    });
    if (size === undefined) {
      this.#seen.delete(sha256);
      throw new BlobDamagedError(`Blob ${sha256} is not in the object storage`);
    }
    this.#options.cache.add(this.#nameOf(sha256), size);
  }

  /** Makes all nodes treat the blob as missing until it is stored again. */
  async #reportObject(sha256: string, cause: BlobMismatchError): Promise<BlobDamagedError> {
    const { marks, now, onDamaged, workspaceId } = this.#options;
    this.#seen.delete(sha256);
    const blob = this.#blob(sha256);
    const before = await marks.find(blob);
    if (before === undefined || before.value.state === "unneeded") {
      await marks.set(blob, before, { state: "damaged", since: now() });
    }
    const message = `Blob ${sha256} of workspace ${workspaceId} is damaged in the object ` +
      `storage: its content has the SHA-256 ${cause.actual}. Deploy the same content again`;
    onDamaged(message);
    return new BlobDamagedError(message, { cause });
  }

  /** Uploads a blob, unless it is known to exist, and protects the blob from sweeps. */
  async #publish(
    sha256: string,
    size: number,
    upload: (key: string) => Promise<void>,
  ): Promise<void> {
    if (this.#trusted(sha256) !== undefined) return;
    for (;;) {
      const at = this.#options.now();
      const mark = await this.#settle(sha256);
      await upload(this.#key(sha256));
      if (mark === undefined || await this.#options.marks.remove(this.#blob(sha256), mark)) {
        return this.#remember(sha256, { size, at });
      }
    }
  }

  /** Waits while a blob is being removed. Returns the mark that the upload invalidates. */
  async #settle(sha256: string): Promise<Versioned<BlobMark> | undefined> {
    for (;;) {
      const mark = await this.#options.marks.takeBack(this.#blob(sha256));
      if (mark?.value.state !== "removing") return mark;
      const { requests } = this.#options.bucket;
      // This machine's clock may have been changed since the storage last responded.
      await requests.look();
      if (mark.value.until < requests.storageTime()) return mark;
      await new Promise((resolve) => setTimeout(resolve, REMOVAL_PAUSE_MS));
    }
  }

  #trusted(sha256: string): number | undefined {
    const seen = this.#seen.get(sha256);
    if (seen === undefined) return undefined;
    if (this.#options.now() - seen.at < TRUSTED_MS) return seen.size;
    this.#seen.delete(sha256);
    return undefined;
  }

  #remember(sha256: string, seen: KnownBlob): void {
    if (this.#seen.size >= MAX_REMEMBERED) this.#seen.clear();
    this.#seen.set(sha256, seen);
  }

  #blob(sha256: string) {
    return { workspaceId: this.#options.workspaceId, sha256 };
  }

  #key(sha256: string): string {
    return objectKey(this.#options.workspaceId, sha256);
  }

  #nameOf(sha256: string): string {
    return `${this.#options.workspaceId}/${sha256}`;
  }
}
