/**
 * The pages of one deployment, in memory and on disk.
 *
 * @module
 */
import { sha256Hex } from "../../lib/hash.ts";
import { SingleFlight } from "../../lib/single_flight.ts";
import type { PurgeScope } from "../cache/mod.ts";
import { type IsrMemory, pageBytes } from "./isr_memory.ts";
import { type PageLimits, pageName } from "./page_index.ts";
import { type PageRecord, toStoredResponse } from "./page_record.ts";
import { StoredPages } from "./stored_pages.ts";
import type { IsrEntry, IsrStore, PageRequest } from "./types.ts";

export interface PageTiersOptions {
  readonly deploymentId: string;
  /** Pages that outlive the process. */
  readonly store: IsrStore;
  /** Shared by all deployments. */
  readonly memory: IsrMemory;
  readonly limits?: PageLimits;
  /** Called with what made a refresh, or storing a page, fail. */
  readonly onError: (error: unknown) => void;
}

/** The name of a page in the store. */
function nameOf({ key, hasQuery }: PageRequest): string {
  return pageName(sha256Hex(key), hasQuery);
}

export class PageTiers {
  readonly #memory: IsrMemory;
  readonly #storedPages: StoredPages;
  readonly #deploymentId: string;
  readonly #reads = new SingleFlight<IsrEntry | undefined>();
  #purges = 0;

  constructor(options: PageTiersOptions) {
    this.#memory = options.memory;
    this.#deploymentId = options.deploymentId;
    this.#storedPages = new StoredPages(options);
  }

  /** Number of purges so far: a response that was requested before the last one is not stored. */
  get purges(): number {
    return this.#purges;
  }

  /** The page of a key, if it is in memory. */
  inMemory(key: string): IsrEntry | undefined {
    return this.#memory.get(this.#memoryKey(key));
  }

  /** Reads a page from the store into memory; requests at the same time share one read. */
  read(request: PageRequest, revalidateSeconds: number): Promise<IsrEntry | undefined> {
    return this.#reads.run(request.key, () => this.#readNow(request, revalidateSeconds));
  }

  async #readNow(request: PageRequest, revalidateSeconds: number): Promise<IsrEntry | undefined> {
    const purges = this.#purges;
    const record = await this.#storedPages.read(request.key, () => nameOf(request));
    const known = this.inMemory(request.key);
    if (known !== undefined || record === undefined || purges !== this.#purges) return known;
    return this.remember(request, record, revalidateSeconds);
  }

  /** Puts a page into memory. */
  remember(request: PageRequest, record: PageRecord, revalidateSeconds: number): IsrEntry {
    const page: IsrEntry = {
      key: request.key,
      name: nameOf(request),
      path: request.path,
      stored: toStoredResponse(record, revalidateSeconds),
      bytes: pageBytes(request.key, record.body.byteLength),
      used: false,
      retryAt: 0,
      hit: undefined,
    };
    this.#memory.put(this.#memoryKey(request.key), page);
    return page;
  }

  /** Writes a page to the store. Never rejects. */
  async write(request: PageRequest, record: PageRecord): Promise<void> {
    await this.#storedPages.write(nameOf(request), record);
  }

  async remove(request: PageRequest): Promise<void> {
    this.#memory.delete(this.#memoryKey(request.key));
    await this.#storedPages.remove(nameOf(request));
  }

  /** Removes pages from memory and store. Returns how many there were. */
  async purge(scope: PurgeScope): Promise<number> {
    this.#purges += 1;
    const isMeant = (path: string) =>
      scope.type === "all" ||
      (scope.type === "path" ? path === scope.path : path.startsWith(scope.prefix));
    const removed = new Set<string>();
    for (const [memoryKey, page] of [...this.#memory.under(`${this.#deploymentId} `)]) {
      if (!isMeant(page.path)) continue;
      this.#memory.delete(memoryKey);
      removed.add(page.name);
    }
    for (const name of await this.#storedPages.purge(scope.type === "all" ? "all" : isMeant)) {
      removed.add(name);
    }
    return removed.size;
  }

  #memoryKey(key: string): string {
    return `${this.#deploymentId} ${key}`;
  }
}
