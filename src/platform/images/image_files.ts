/**
 * Converted images on disk, within a quota. The least recently requested images are evicted first.
 *
 * @module
 */
import { join } from "node:path";
import { writeFileAtomically } from "../../lib/atomic_file.ts";
import { isSha256 } from "../../lib/hash.ts";
import type { ConvertedImage } from "../../edge/mod.ts";
import { ifMissing, removeTree } from "../../lib/missing_files.ts";

type ImageFormat = ConvertedImage["format"];

const FORMATS: readonly string[] = ["avif", "webp", "jpeg", "png"] satisfies ImageFormat[];

interface ImageQuota {
  readonly maxBytes: number;
  readonly maxProjectBytes: number;
}

interface Entry {
  readonly projectId: string;
  readonly key: string;
  readonly format: ImageFormat;
  readonly size: number;
}

/** Folder and file names come only from identifiers and hashes. */
const PROJECT_ID = /^[\w-]{1,200}$/;

function parseName(name: string): Pick<Entry, "key" | "format"> | undefined {
  const [key = "", format = "", ...rest] = name.split(".");
  if (!isSha256(key) || !FORMATS.includes(format) || rest.length > 0) return undefined;
  return { key, format: format as ImageFormat };
}

export class ImageFiles {
  /** The images by project and key. The most recently used image is last. */
  readonly #entries = new Map<string, Entry>();
  readonly #projectBytes = new Map<string, number>();
  #bytes = 0;

  readonly #folder: string;
  readonly #quota: ImageQuota;

  constructor(folder: string, quota: ImageQuota) {
    this.#folder = folder;
    this.#quota = quota;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Lists an earlier process's files, oldest first, and removes everything that is not an image.
   */
  async recover(): Promise<void> {
    const found: { readonly entry: Entry; readonly time: number }[] = [];
    for await (const project of list(this.#folder)) {
      const folder = join(this.#folder, project.name);
      for await (const { name } of list(folder)) {
        const path = join(folder, name);
        const parsed = parseName(name);
        const info = await Deno.stat(path).catch(ifMissing);
        if (parsed === undefined) await Deno.remove(path).catch(() => {});
        else if (info !== undefined) {
          const entry = { projectId: project.name, ...parsed, size: info.size };
          found.push({ entry, time: info.mtime?.getTime() ?? 0 });
        }
      }
    }
    found.sort((one, other) => one.time - other.time);
    for (const { entry } of found) this.#add(entry);
    await this.#makeRoom();
  }

  async find(projectId: string, key: string): Promise<ConvertedImage | undefined> {
    const entry = this.#entries.get(`${projectId} ${key}`);
    if (entry === undefined) return undefined;
    this.#entries.delete(nameOf(entry));
    this.#entries.set(nameOf(entry), entry);
    try {
      const bytes = await Deno.readFile(this.#path(entry));
      if (bytes.byteLength === entry.size) return { format: entry.format, bytes };
    } catch { /* missing or unreadable, so it is created again */ }
    await this.#remove(entry);
    return undefined;
  }

  /** Stores an image, and evicts others if needed. @throws if the disk is full */
  async put(projectId: string, key: string, { format, bytes }: ConvertedImage): Promise<void> {
    const size = bytes.byteLength;
    if (!PROJECT_ID.test(projectId) || size > this.#quota.maxProjectBytes) return;
    const entry = { projectId, key, format, size };
    const before = this.#entries.get(nameOf(entry));
    if (before !== undefined) await this.#remove(before);
    await writeFileAtomically(this.#path(entry), bytes, { mode: 0o600 });
    this.#add(entry);
    if (this.#bytes > this.#quota.maxBytes || this.#isTooMuch(projectId)) await this.#makeRoom();
  }

  async removeProject(projectId: string): Promise<void> {
    for (const entry of this.#entries.values()) {
      if (entry.projectId === projectId) this.#drop(entry);
    }
    if (!PROJECT_ID.test(projectId)) return;
    await removeTree(join(this.#folder, projectId));
  }

  #path({ projectId, key, format }: Entry): string {
    return join(this.#folder, projectId, `${key}.${format}`);
  }

  #add(entry: Entry): void {
    this.#entries.set(nameOf(entry), entry);
    this.#count(entry, entry.size);
  }

  #drop(entry: Entry): void {
    if (this.#entries.delete(nameOf(entry))) this.#count(entry, -entry.size);
  }

  #count({ projectId }: Entry, bytes: number): void {
    this.#bytes += bytes;
    const now = (this.#projectBytes.get(projectId) ?? 0) + bytes;
    if (now === 0) this.#projectBytes.delete(projectId);
    else this.#projectBytes.set(projectId, now);
  }

  async #remove(entry: Entry): Promise<void> {
    this.#drop(entry);
    await Deno.remove(this.#path(entry)).catch(() => {});
  }

  #isTooMuch(projectId: string): boolean {
    return (this.#projectBytes.get(projectId) ?? 0) > this.#quota.maxProjectBytes;
  }

  /**
   * Removes the least recently requested images of projects that exceed their limit, or of all
   * projects if the total exceeds its limit.
   */
  async #makeRoom(): Promise<void> {
    const { maxBytes } = this.#quota;
    for (const entry of this.#entries.values()) {
      if (this.#bytes > maxBytes || this.#isTooMuch(entry.projectId)) await this.#remove(entry);
    }
  }
}

const nameOf = ({ projectId, key }: Entry): string => `${projectId} ${key}`;

async function* list(folder: string): AsyncGenerator<Deno.DirEntry> {
  try {
    yield* Deno.readDir(folder);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound) && !(error instanceof Deno.errors.NotADirectory)) {
      throw error;
    }
  }
}
