/**
 * Caches blobs' files on this machine, up to a total size. The least recently used files are
 * removed first. A file gets its name only once it is complete, and reads are verified by hash, so
 * wrong content is never used after a crash.
 *
 * @module
 */
import { join } from "node:path";
import { isSha256 } from "../../../lib/hash.ts";
import { isUuid } from "../../../lib/ids.ts";
import { ifMissing } from "../../../lib/missing_files.ts";
import { blobPath } from "./fs_blob_store.ts";

/** Fraction of the capacity that eviction frees at once, to avoid evicting files one by one. */
const ROOM = 0.05;

interface FoundFile {
  readonly name: string;
  readonly size: number;
  readonly usedAt: number;
}

interface DiskCacheOptions {
  readonly root: string;
  readonly maxBytes: number;
  onTrouble(message: string): void;
}

export class DiskCache {
  /** Sizes in bytes, by file name. The least recently used file comes first. */
  readonly #files = new Map<string, number>();
  readonly #counted: Promise<void>;
  #bytes = 0;
  #evicting: Promise<void> | undefined;

  readonly #options: DiskCacheOptions;

  /** Counts the existing files, which are named `<workspace>/<sha256>`. */
  constructor(options: DiskCacheOptions) {
    this.#options = options;
    this.#counted = this.#count().catch((error) =>
      options.onTrouble(`Cannot read the file cache ${options.root}: ${error}`)
    );
  }

  /**
   * Resolves when the files of earlier processes are known, and files beyond the limit have been
   * removed.
   */
  async settled(): Promise<void> {
    await this.#counted;
    await this.#evicting;
  }

  /** Records that a file exists. */
  add(name: string, size: number): void {
    this.#forget(name);
    this.#files.set(name, size);
    this.#bytes += size;
    this.#startEvicting();
  }

  /** Records the use of a file with a known size. */
  touch(name: string): void {
    const size = this.#files.get(name);
    if (size === undefined) return;
    this.#files.delete(name);
    this.#files.set(name, size);
  }

  remove(name: string): void {
    this.#forget(name);
  }

  #forget(name: string): void {
    this.#bytes -= this.#files.get(name) ?? 0;
    this.#files.delete(name);
  }

  /** Counts the files of earlier processes. These files count as used before all others. */
  async #count(): Promise<void> {
    const found: FoundFile[] = [];
    for await (const file of filesBelow(this.#options.root)) found.push(file);
    found.sort((left, right) => left.usedAt - right.usedAt);
    const used = [...this.#files];
    this.#files.clear();
    this.#bytes = 0;
    for (const { name, size } of found) this.#files.set(name, size);
    for (const [name, size] of used) {
      this.#files.delete(name);
      this.#files.set(name, size);
    }
    for (const size of this.#files.values()) this.#bytes += size;
    this.#startEvicting();
  }

  #startEvicting(): void {
    if (this.#bytes <= this.#options.maxBytes || this.#evicting !== undefined) return;
    this.#evicting = this.#evict()
      .catch((error) =>
        this.#options.onTrouble(`Cannot remove old files from the file cache: ${error}`)
      )
      .finally(() => this.#evicting = undefined);
  }

  async #evict(): Promise<void> {
    const wanted = this.#options.maxBytes * (1 - ROOM);
    for (const name of this.#files.keys()) {
      // Keeps the newest file, because it is about to be read.
      if (this.#bytes <= wanted || this.#files.size === 1) return;
      this.#forget(name);
      const [workspaceId = "", sha256 = ""] = name.split("/");
      await Deno.remove(blobPath(join(this.#options.root, workspaceId), sha256)).catch(ifMissing);
    }
  }
}

async function* filesBelow(root: string): AsyncGenerator<FoundFile> {
  for await (const workspace of Deno.readDir(root)) {
    if (!isUuid(workspace.name)) continue;
    for await (const folder of Deno.readDir(join(root, workspace.name))) {
      for await (const { name } of Deno.readDir(join(root, workspace.name, folder.name))) {
        if (!isSha256(name)) continue;
        const path = join(root, workspace.name, folder.name, name);
        const info = await Deno.stat(path).catch(() => undefined);
        if (info === undefined) continue;
        const usedAt = Math.max(info.atime?.getTime() ?? 0, info.mtime?.getTime() ?? 0);
        yield { name: `${workspace.name}/${name}`, size: info.size, usedAt };
      }
    }
  }
}
