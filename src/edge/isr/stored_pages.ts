/**
 * The pages of one deployment on disk. They are listed once; afterwards only a page
 * that exists costs a read.
 *
 * @module
 */
import { PageIndex, type PageLimits } from "./page_index.ts";
import { decodePage, encodePage, type PageRecord } from "./page_record.ts";
import type { IsrStore } from "./types.ts";

export interface StoredPagesOptions {
  readonly store: IsrStore;
  readonly limits?: PageLimits;
  /** Called with failures of reading or writing, which are not fatal: a page can be fetched again. */
  readonly onError: (error: unknown) => void;
}

export class StoredPages {
  readonly #options: StoredPagesOptions;
  #index: Promise<PageIndex> | undefined;
  #purges = 0;

  constructor(options: StoredPagesOptions) {
    this.#options = options;
  }

  /** Returns the page of a key; calls `name` for its name only where there is any page. */
  async read(key: string, name: () => string): Promise<PageRecord | undefined> {
    const index = await this.#load();
    if (index.size === 0) return undefined;
    const named = name();
    if (!index.has(named)) return undefined;
    index.touch(named);
    const record = await this.#decode(named);
    if (record?.key === key) return record;
    await this.remove(named);
    return undefined;
  }

  /** Writes a page, and removes others where there are too many. Never rejects. */
  async write(name: string, record: PageRecord): Promise<void> {
    const { store, onError } = this.#options;
    const index = await this.#load();
    const bytes = encodePage(record);
    const purges = this.#purges;
    try {
      await store.write(name, bytes);
      if (purges !== this.#purges) return await store.remove(name);
      for (const gone of index.add(name, bytes.byteLength)) await store.remove(gone);
    } catch (error) {
      onError(error);
    }
  }

  async remove(name: string): Promise<void> {
    const { store, onError } = this.#options;
    if ((await this.#load()).delete(name)) await store.remove(name).catch(onError);
  }

  /** Removes the pages whose paths match, and returns their names. */
  async purge(isMeant: ((path: string) => boolean) | "all"): Promise<readonly string[]> {
    this.#purges += 1;
    const gone: string[] = [];
    for (const name of (await this.#load()).names()) {
      if (isMeant !== "all" && !isMeant((await this.#decode(name))?.path ?? "")) continue;
      await this.remove(name);
      gone.push(name);
    }
    return gone;
  }

  async #decode(name: string): Promise<PageRecord | undefined> {
    const { store, onError } = this.#options;
    const bytes = await store.read(name).catch(onError);
    return bytes === undefined ? undefined : decodePage(bytes);
  }

  #load(): Promise<PageIndex> {
    const { store, limits, onError } = this.#options;
    return this.#index ??= store.list().catch((error) => {
      onError(error);
      return [];
    }).then((pages) => new PageIndex(pages, limits));
  }
}
