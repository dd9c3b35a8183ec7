/** @module The pages of one deployment, in memory and on disk. */
import { sha256Hex } from "../../lib/hash.ts";
import { SingleFlight } from "../../lib/single_flight.ts";
import { isPurged } from "../cache/cache_store.ts";
import type { PurgeOptions } from "../cache/http_cache.ts";
import type { PurgeScope } from "../../feed/mod.ts";
import { headBytes, type IsrMemory } from "./isr_memory.ts";
import { type PageLimits, pageName } from "./page_index.ts";
import { type MarkedPage, PageMarks } from "./page_marks.ts";
import { type PageRecord, toStoredResponse } from "./page_record.ts";
import { StoredPages } from "./stored_pages.ts";
import type { IsrEntry, IsrStore, PageRequest, Requested } from "./types.ts";

export interface PageTiersOptions {
  readonly deploymentId: string;
  /** Keeps pages across restarts. */
  readonly store: IsrStore;
  /** Memory that all deployments share. */
  readonly memory: IsrMemory;
  readonly limits?: PageLimits;
  /** Called with the cause of a failed refresh or write. */
  readonly onError: (error: unknown) => void;
}

/** Returns the name of a page in the store. */
function nameOf(request: PageRequest): string {
  return pageName(sha256Hex(request.key), request);
}

export class PageTiers {
  readonly #memory: IsrMemory;
  readonly #storedPages: StoredPages;
  readonly #deploymentId: string;
  readonly #marks = new PageMarks();
  readonly #reads = new SingleFlight<IsrEntry | undefined>();
  readonly #onError: (error: unknown) => void;
  #hasDeclared = false;

  constructor(options: PageTiersOptions) {
    this.#memory = options.memory;
    this.#deploymentId = options.deploymentId;
    this.#onError = options.onError;
    this.#storedPages = new StoredPages(options, this.#marks);
  }

  /** Captures the state when a page is requested. */
  requested(now: number): Requested {
    return { at: now, order: this.#marks.order };
  }

  /**
   * Whether there may be pages that a server declared cacheable. This is known once the pages on
   * disk are listed.
   */
  get mayHaveDeclared(): boolean {
    return this.#hasDeclared || (this.#storedPages.listed?.hasDeclared ?? true);
  }

  /** Lists the pages on disk. */
  async list(): Promise<void> {
    const index = await this.#storedPages.list();
    this.#hasDeclared ||= index.hasDeclared;
  }

  inMemory(key: string): IsrEntry | undefined {
    const page = this.#memory.get(this.#memoryKey(key));
    return page === undefined || page.judgedAt === this.#marks.order ? page : this.#judge(page);
  }

  /** Reads a page from the store into memory. Concurrent requests share one read. */
  read(request: PageRequest, revalidateSeconds: number): Promise<IsrEntry | undefined> {
    return this.#reads.run(request.key, () => this.#readNow(request, revalidateSeconds));
  }

  async #readNow(request: PageRequest, revalidateSeconds: number): Promise<IsrEntry | undefined> {
    const record = await this.#storedPages.read(request.key, () => nameOf(request));
    const known = this.inMemory(request.key);
    if (known !== undefined || record === undefined) return known;
    const requested = { at: record.askedAt };
    return this.#judge(this.#remember(request, record, { requested, revalidateSeconds }));
  }

  /**
   * Puts a page into memory, and writes it to the store unless `isKept` is false. Returns
   * `undefined` if a purge has removed the page since it was requested.
   */
  put(
    request: PageRequest,
    record: PageRecord,
    { requested, isKept, revalidateSeconds }: {
      readonly requested: Requested;
      readonly isKept: boolean;
      readonly revalidateSeconds: number;
    },
  ): { readonly written: Promise<void> } | undefined {
    const { path, tags = [] } = record;
    const page = { path, tags, askedAt: requested.at, order: requested.order };
    const judgment = this.#marks.judge(page);
    if (judgment.type === "gone") return undefined;
    this.#hasDeclared ||= request.isDeclared;
    this.#remember(request, record, { requested, revalidateSeconds });
    const name = nameOf(request);
    if (!isKept) return { written: this.#storedPages.remove(name) };
    const written = this.#storedPages.write(name, record);
    return {
      written: judgment.type === "stale"
        ? written.then(() => this.#storedPages.writeMarks())
        : written,
    };
  }

  #remember(
    request: PageRequest,
    record: PageRecord,
    { requested, revalidateSeconds }: {
      readonly requested: Requested;
      readonly revalidateSeconds: number;
    },
  ): IsrEntry {
    const page: IsrEntry = {
      key: request.key,
      name: nameOf(request),
      path: request.path,
      requested,
      headBytes: headBytes(record),
      stored: toStoredResponse(record, revalidateSeconds),
      judgedAt: requested.order ?? -1,
      retryAt: 0,
      hit: undefined,
    };
    return this.#memory.put(this.#memoryKey(request.key), page);
  }

  async remove(request: PageRequest): Promise<void> {
    this.#memory.delete(this.#memoryKey(request.key));
    await this.#storedPages.remove(nameOf(request));
  }

  /**
   * Marks pages for revalidation. From then on, no request sees them as fresh. Resolves once the
   * marks would survive a restart.
   */
  async mark(
    scopes: readonly PurgeScope[],
    purge: { readonly soft: boolean; readonly at: number },
  ): Promise<void> {
    for (const scope of scopes) this.#marks.add(scope, purge);
    await this.#storedPages.writeMarks();
  }

  /** Removes pages, or marks them as stale with `soft`. Returns the number of pages. */
  async purge(
    scope: PurgeScope,
    { soft = false, at }: PurgeOptions & { readonly at: number },
  ): Promise<number> {
    const marked = this.mark([scope], { soft, at });
    const meant = new Set<string>();
    for (const [memoryKey, page] of [...this.#memory.under(`${this.#deploymentId} `)]) {
      if (!isPurged(scope, { path: page.path, tags: page.stored.tags })) continue;
      meant.add(page.name);
      if (!soft) this.#memory.delete(memoryKey);
    }
    const isMeant = (page: MarkedPage) => isPurged(scope, page) && page.askedAt <= at;
    for (const name of await this.#storedPages.find(isMeant)) {
      meant.add(name);
      if (!soft) await this.#storedPages.remove(name);
    }
    await marked;
    return meant.size;
  }

  /** Returns a page after applying the marks to it, or `undefined` if the marks remove the page. */
  #judge(page: IsrEntry): IsrEntry | undefined {
    const { path, requested, stored } = page;
    const { tags, staleSince } = stored;
    const { at: askedAt, order } = requested;
    const judgment = this.#marks.judge({ path, tags, askedAt, order });
    page.judgedAt = this.#marks.order;
    if (judgment.type === "gone") {
      this.#memory.delete(this.#memoryKey(page.key));
      this.#storedPages.remove(page.name).catch(this.#onError);
      return undefined;
    }
    if (judgment.type === "stale" && staleSince === undefined) {
      page.stored = { ...stored, staleSince: judgment.since };
      page.hit = undefined;
    }
    return page;
  }

  #memoryKey(key: string): string {
    return `${this.#deploymentId} ${key}`;
  }
}
