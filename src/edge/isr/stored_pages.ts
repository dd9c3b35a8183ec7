/**
 * @module The pages of one deployment on disk, and the marks of pages that were revalidated on
 * demand. The pages are listed once. After that, only pages that exist are read.
 */
import { PageIndex, type PageLimits } from "./page_index.ts";
import type { PageMarks } from "./page_marks.ts";
import { decodePage, encodePage, type PageRecord } from "./page_record.ts";
import type { IsrStore } from "./types.ts";

interface StoredPagesOptions {
  readonly store: IsrStore;
  readonly limits?: PageLimits;
  /**
   * Called with read and write failures, which are not fatal because a page can be fetched again.
   */
  readonly onError: (error: unknown) => void;
}

/** The fields of a page that are checked by purges. */
type PurgedPage = Pick<PageRecord, "path" | "askedAt"> & { readonly tags: readonly string[] };

/**
 * Maximum total length of a page's path and tags, in characters, to keep them in memory for purges.
 * If they are longer, the page is read again.
 */
const MAX_KNOWN_CHARACTERS = 512;

/** The name of the file with the marks. No page has this name. */
const MARKS = "marks.json";

export class StoredPages {
  readonly #options: StoredPagesOptions;
  readonly #marks: PageMarks;
  /** Purge data of the pages that this process has read or written. */
  readonly #known = new Map<string, PurgedPage>();
  #index: Promise<PageIndex> | undefined;
  #listed: PageIndex | undefined;
  #hasWritten = false;
  #writing: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(options: StoredPagesOptions, marks: PageMarks) {
    this.#options = options;
    this.#marks = marks;
  }

  /** The pages on disk, or `undefined` until they have been listed. */
  get listed(): PageIndex | undefined {
    return this.#listed;
  }

  /** Returns the page with a key. Calls `name` only if there are any pages. */
  async read(key: string, name: () => string): Promise<PageRecord | undefined> {
    const index = await this.list();
    if (index.size === 0) return undefined;
    const named = name();
    if (!index.has(named)) return undefined;
    index.touch(named);
    const record = await this.#decode(named);
    if (record?.key === key) return record;
    await this.remove(named);
    return undefined;
  }

  /** Writes a page, and evicts other pages if there are too many. Never rejects. */
  async write(name: string, record: PageRecord): Promise<void> {
    const { store, onError } = this.#options;
    const index = await this.list();
    const bytes = encodePage(record);
    this.#hasWritten = true;
    try {
      await store.write(name, bytes);
      this.#know(name, record);
      for (const gone of index.add(name, bytes.byteLength)) {
        this.#known.delete(gone);
        await store.remove(gone);
      }
    } catch (error) {
      onError(error);
    }
  }

  async remove(name: string): Promise<void> {
    const { store, onError } = this.#options;
    this.#known.delete(name);
    if ((await this.list()).delete(name)) await store.remove(name).catch(onError);
  }

  /** Returns the names of the pages that a purge covers. */
  async find(isMeant: (page: PurgedPage) => boolean): Promise<readonly string[]> {
    const found: string[] = [];
    for (const name of (await this.list()).names()) {
      const page = this.#known.get(name) ?? await this.#decode(name);
      if (page === undefined || isMeant({ ...page, tags: page.tags ?? [] })) found.push(name);
    }
    return found;
  }

  /**
   * Writes the marks if they can apply to any page. Calls made during a write share the next write.
   * Never rejects.
   */
  async writeMarks(): Promise<void> {
    if ((await this.list()).size === 0 && !this.#hasWritten) return;
    if (this.#writing === undefined) return await (this.#writing = this.#writeMarksNow());
    this.#next ??= this.#writing.then(() => {
      this.#next = undefined;
      return this.#writing = this.#writeMarksNow();
    });
    await this.#next;
  }

  /** Lists the pages, and reads the marks from an earlier process. */
  list(): Promise<PageIndex> {
    return this.#index ??= this.#listNow();
  }

  async #writeMarksNow(): Promise<void> {
    const { store, onError } = this.#options;
    await store.write(MARKS, this.#marks.encode()).catch(onError);
    if (this.#next === undefined) this.#writing = undefined;
  }

  async #decode(name: string): Promise<PageRecord | undefined> {
    const { store, onError } = this.#options;
    const bytes = await store.read(name).catch(onError);
    const record = bytes === undefined ? undefined : decodePage(bytes);
    if (record !== undefined) this.#know(name, record);
    return record;
  }

  #know(name: string, { path, tags = [], askedAt }: PageRecord): void {
    const characters = tags.reduce((sum, tag) => sum + tag.length, path.length);
    if (characters <= MAX_KNOWN_CHARACTERS) this.#known.set(name, { path, tags, askedAt });
    else this.#known.delete(name);
  }

  async #listNow(): Promise<PageIndex> {
    const { store, limits, onError } = this.#options;
    const pages = await store.list().catch((error) => {
      onError(error);
      return [];
    });
    const marks = pages.length === 0 ? undefined : await store.read(MARKS).catch(onError);
    if (marks !== undefined) this.#marks.addStored(marks);
    return this.#listed = new PageIndex(pages, limits);
  }
}
