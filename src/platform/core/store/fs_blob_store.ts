/**
 * The blobs of one workspace in a folder: `<root>/<first two digits>/<sha256>`. A blob is written
 * to a temporary file, flushed, then renamed, so a file with a blob's name always has the blob's
 * content.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { dirname, join, sep } from "node:path";
import { writeAll } from "../../../lib/atomic_file.ts";
import { ifMissing } from "../../../lib/missing_files.ts";
import { renameDurably, syncFolder } from "../../../lib/sync_folder.ts";
import { inTurns } from "../../../lib/next_turn.ts";
import { isSha256, sha256Hex, sha256InTurns, sha256Stream } from "../../../lib/hash.ts";
import { openBlobFile, streamFile } from "./blob_file.ts";
import {
  BlobDamagedError,
  type BlobFile,
  BlobMismatchError,
  type BlobStore,
  BlobTooLargeError,
  type ByteRange,
  type LookOptions,
} from "./blob_store.ts";
import { VerifiedBlobs } from "./verified_blobs.ts";

/** Maximum number of blobs that are verified at the same time. */
const PARALLEL = 16;

/** Maximum size of a blob to read in one piece when verifying it, in bytes. */
const READ_WHOLE = 1024 * 1024;

/** Age at which a lookup refreshes a file that other nodes may sweep, in milliseconds. */
const RENEW_AFTER_MS = 10 * 60 * 1000;

/**
 * Mode of linked files. Servers run as other users, and a file can be a program that a server
 * executes. Other users cannot open the folders that contain such a file.
 */
const LINKED_MODE = 0o755;

interface FsBlobStoreOptions {
  readonly root: string;
  /** Folder for unfinished writes, on the same file system. */
  readonly incoming: string;
  readonly damaged: string;
  /** Whether writes may be lost in a power failure; false by default. */
  readonly isCache?: boolean;
  /**
   * A monotonic clock in milliseconds. If set, a check of a file remains valid for a few seconds.
   */
  readonly monotonic?: (() => number) | undefined;
  /**
   * Whether other nodes sweep the same folder. A lookup refreshes the file's age, which tells the
   * other nodes about the lookup.
   */
  readonly isShared?: boolean;
  /** Called for each lookup of a blob. */
  onUse(sha256: string): void;
  /** Called for each blob that was found to be damaged, with the path to which it was moved. */
  onDamaged(sha256: string, movedTo: string): void;
}

export function blobPath(root: string, sha256: string): string {
  if (!isSha256(sha256)) throw new TypeError(`Not a SHA-256: ${sha256}`);
  return `${root}${sep}${sha256.slice(0, 2)}${sep}${sha256}`;
}

export function describeDamage(
  sha256: string,
  { workspaceId, movedTo }: { readonly workspaceId: string; readonly movedTo: string },
): string {
  return `Blob ${sha256} of workspace ${workspaceId} is damaged, and was moved to ${movedTo}. ` +
    "Deploy the same content again, or restore the file from a backup";
}

/** Writes a stream and returns its hash and size. */
async function writeHashed(
  file: Deno.FsFile,
  content: ReadableStream<Uint8Array>,
  maxBytes: number,
): Promise<{ readonly sha256: string; readonly size: number }> {
  const hash = createHash("sha256");
  let size = 0;
  for await (const chunk of content) {
    size += chunk.byteLength;
    if (size > maxBytes) {
      throw new BlobTooLargeError(`The content was refused: it has more than ${maxBytes} bytes`);
    }
    hash.update(chunk);
    await writeAll(file, chunk);
  }
  return { sha256: hash.digest("hex"), size };
}

export class FsBlobStore implements BlobStore {
  readonly #folders = new Set<string>();

  readonly #verified: VerifiedBlobs;

  readonly #options: FsBlobStoreOptions;

  constructor(options: FsBlobStoreOptions) {
    this.#options = options;
    this.#verified = new VerifiedBlobs((sha256) => this.#path(sha256), options.monotonic);
  }

  #path(sha256: string): string {
    return blobPath(this.#options.root, sha256);
  }

  async #stat(sha256: string): Promise<Deno.FileInfo | undefined> {
    this.#options.onUse(sha256);
    const info = await Deno.stat(this.#path(sha256)).catch(ifMissing);
    return info && this.#options.isShared === true
      ? await this.#renew(sha256, info).catch(ifMissing)
      : info;
  }

  #statNow(sha256: string): Deno.FileInfo | undefined {
    this.#options.onUse(sha256);
    try {
      return Deno.statSync(this.#path(sha256));
    } catch (error) {
      return ifMissing(error);
    }
  }

  /** Makes a file count as new. Fails if a sweep has already removed the file. */
  async #renew(sha256: string, info: Deno.FileInfo): Promise<Deno.FileInfo> {
    const now = new Date();
    if (now.getTime() - (info.mtime?.getTime() ?? 0) < RENEW_AFTER_MS) return info;
    const path = this.#path(sha256);
    const wasVerified = this.#verified.has(sha256, info);
    await Deno.utime(path, now, now);
    const renewed = await Deno.stat(path);
    if (wasVerified) this.#verified.add(sha256, renewed);
    return renewed;
  }

  async #isSound(sha256: string, size: number): Promise<boolean> {
    if (size <= READ_WHOLE) {
      return await Deno.readFile(this.#path(sha256)).then(
        (bytes) => sha256Hex(bytes) === sha256,
        () => false,
      );
    }
    const content = await sha256Stream(await this.stream(sha256)).catch((error) => {
      if (error instanceof BlobDamagedError) return undefined;
      throw error;
    });
    return content?.sha256 === sha256;
  }

  /**
   * Passes a new file to `write`, which returns the content's hash, and then moves the file to its
   * path.
   */
  async #store(write: (file: Deno.FsFile) => Promise<string>): Promise<void> {
    const temporary = join(this.#options.incoming, crypto.randomUUID());
    let written: Deno.FileInfo;
    try {
      const file = await Deno.open(temporary, { write: true, createNew: true, mode: 0o600 });
      let sha256: string;
      try {
        sha256 = await write(file);
        if (this.#options.isCache !== true) await file.sync();
        written = await file.stat();
      } finally {
        file.close();
      }
      const target = this.#path(sha256);
      await this.#ensureFolder(sha256.slice(0, 2));
      if (this.#options.isCache === true) await Deno.rename(temporary, target);
      else await renameDurably(temporary, target);
      this.#verified.add(sha256, written);
    } catch (error) {
      await Deno.remove(temporary).catch(() => {});
      throw error;
    }
  }

  async #ensureFolder(name: string): Promise<void> {
    if (this.#folders.has(name)) return;
    await Deno.mkdir(join(this.#options.root, name), { recursive: true, mode: 0o700 });
    if (this.#options.isCache !== true) await this.#syncNewFolder();
    this.#folders.add(name);
  }

  /**
   * Flushes the workspace's folder, in which a folder for blobs was created, and its parent folder.
   */
  async #syncNewFolder(): Promise<void> {
    await syncFolder(this.#options.root);
    await syncFolder(dirname(this.#options.root));
  }

  async put(sha256: string, content: Uint8Array): Promise<void> {
    const actual = sha256Hex(content);
    if (actual !== sha256) throw new BlobMismatchError(sha256, actual);
    await this.#store(async (file) => {
      await writeAll(file, content);
      return sha256;
    });
  }

  async putStream(
    sha256: string,
    content: ReadableStream<Uint8Array>,
    options: { readonly maxBytes: number },
  ): Promise<void> {
    await this.#store(async (file) => {
      const actual = (await writeHashed(file, content, options.maxBytes)).sha256;
      if (actual !== sha256) throw new BlobMismatchError(sha256, actual);
      return actual;
    });
  }

  async add(
    content: ReadableStream<Uint8Array>,
    options: { readonly maxBytes: number },
  ): Promise<{ readonly sha256: string; readonly size: number }> {
    let added = { sha256: "", size: 0 };
    await this.#store(async (file) => {
      added = await writeHashed(file, content, options.maxBytes);
      this.#options.onUse(added.sha256);
      return added.sha256;
    });
    return added;
  }

  async size(sha256: string): Promise<number | undefined> {
    return (await this.#stat(sha256))?.size;
  }

  async verify(sha256: string): Promise<number | undefined> {
    const info = await this.#stat(sha256);
    if (info === undefined) return undefined;
    return await this.#isVerified(sha256, info) ? info.size : undefined;
  }

  /**
   * Returns whether the file has its blob's content. Reads the file once, and again if it has
   * changed.
   */
  async #isVerified(sha256: string, info: Deno.FileInfo): Promise<boolean> {
    if (this.#verified.has(sha256, info)) return true;
    if (!await this.#isSound(sha256, info.size)) {
      await this.#setAside(sha256);
      return false;
    }
    this.#verified.add(sha256, info);
    return true;
  }

  async verifyAll(
    hashes: readonly string[],
    options: LookOptions = {},
  ): Promise<ReadonlyMap<string, number | undefined>> {
    hashes.forEach(this.#options.onUse);
    const sizes = new Map<string, number | undefined>();
    const others = this.#options.isShared === true
      ? hashes.values()
      : (await inTurns(this.#verified.lookAt(hashes, sizes, options))).values();
    await Promise.all(Array.from({ length: PARALLEL }, async () => {
      for (const sha256 of others) sizes.set(sha256, await this.verify(sha256));
    }));
    return sizes;
  }

  async reportDamage(sha256: string): Promise<void> {
    this.#verified.delete(sha256);
    await this.verify(sha256);
  }

  async #setAside(sha256: string): Promise<void> {
    const { damaged, onDamaged } = this.#options;
    const movedTo = join(damaged, `${sha256}-${crypto.randomUUID()}`);
    try {
      await Deno.mkdir(damaged, { recursive: true, mode: 0o700 });
      await Deno.rename(this.#path(sha256), movedTo);
    } catch (error) {
      // Another lookup was first to move the file, or the content has since been stored again.
      if (error instanceof Deno.errors.NotFound) return;
      throw error;
    }
    onDamaged(sha256, movedTo);
  }

  async read(sha256: string): Promise<Uint8Array<ArrayBuffer>> {
    let content: Uint8Array<ArrayBuffer>;
    try {
      content = await Deno.readFile(this.#path(sha256));
    } catch (cause) {
      throw new BlobDamagedError(`Cannot read blob ${sha256}`, { cause });
    }
    if (await sha256InTurns(content) !== sha256) {
      await this.reportDamage(sha256);
      throw new BlobDamagedError(`Blob ${sha256} changed on disk`);
    }
    return content;
  }

  async stream(
    sha256: string,
    range?: ByteRange,
  ): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    return await streamFile(this.#path(sha256), range);
  }

  openFile(sha256: string): Promise<BlobFile> {
    return openBlobFile(this.#path(sha256));
  }

  async link(sha256: string, path: string): Promise<void> {
    const source = this.#path(sha256);
    // These calls are synchronous, because asynchronous calls take ten times as long for thousands
    // of files.
    const info = this.#options.isShared === true ? await this.#stat(sha256) : this.#statNow(sha256);
    if (info === undefined || !await this.#isVerified(sha256, info)) {
      throw new BlobDamagedError(`Blob ${sha256} is missing or has changed on disk`);
    }
    try {
      Deno.linkSync(source, path);
    } catch {
      // The path is on another file system, or the file system allows no more links to the file.
      await Deno.copyFile(source, path);
    }
    if (((info.mode ?? 0) & 0o777) !== LINKED_MODE) await Deno.chmod(path, LINKED_MODE);
  }
}
