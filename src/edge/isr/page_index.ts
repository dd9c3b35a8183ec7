/** @module Tracks which pages of a deployment are on disk, and chooses pages to evict. Pure. */

export interface PageLimits {
  readonly pages: number;
  /**
   * Maximum number of pages with a query. The limit is separate because anyone can request any
   * number of them.
   */
  readonly queryPages: number;
  readonly bytes: number;
}

const PAGE_LIMITS: PageLimits = {
  pages: 20_000,
  queryPages: 2_000,
  bytes: 512 * 1024 * 1024,
};

/** Letters at the end of a page's name that show whether the page has a query. */
const QUERY = "q";
const PLAIN = "p";

/**
 * The letter for pages that are stored because of their own header fields, not because of a route's
 * `revalidate`.
 */
const DECLARED = "d";

/**
 * Returns the name of a page on disk. The name encodes whether the page has a query and whether its
 * server declared it cacheable.
 */
export function pageName(
  keySha256: string,
  { hasQuery, isDeclared }: { readonly hasQuery: boolean; readonly isDeclared: boolean },
): string {
  return `${keySha256}.${isDeclared ? DECLARED : ""}${hasQuery ? QUERY : PLAIN}`;
}

const isQueryName = (name: string): boolean => name.endsWith(QUERY);

const isDeclaredName = (name: string): boolean => name.at(-2) === DECLARED;

export class PageIndex {
  /** The size of each page in bytes, by name, in the order of eviction. */
  readonly #pages = new Map<string, number>();
  #bytes = 0;
  #queryPages = 0;

  readonly #limits: PageLimits;

  constructor(
    pages: Iterable<{ readonly name: string; readonly bytes: number }>,
    limits: PageLimits = PAGE_LIMITS,
  ) {
    this.#limits = limits;
    for (const { name, bytes } of pages) this.#set(name, bytes);
  }

  get size(): number {
    return this.#pages.size;
  }

  /** Whether there is a page that was declared cacheable by its server. */
  get hasDeclared(): boolean {
    return this.names().some(isDeclaredName);
  }

  has(name: string): boolean {
    return this.#pages.has(name);
  }

  names(): string[] {
    return [...this.#pages.keys()];
  }

  /** Adds a page, and returns the names of the evicted pages. */
  add(name: string, bytes: number): readonly string[] {
    this.delete(name);
    this.#set(name, bytes);
    return this.#excess();
  }

  /** Moves a requested page to the end of the eviction order. */
  touch(name: string): void {
    const bytes = this.#pages.get(name);
    if (bytes === undefined) return;
    this.#pages.delete(name);
    this.#pages.set(name, bytes);
  }

  delete(name: string): boolean {
    const bytes = this.#pages.get(name);
    if (bytes === undefined) return false;
    this.#pages.delete(name);
    this.#bytes -= bytes;
    if (isQueryName(name)) this.#queryPages -= 1;
    return true;
  }

  #set(name: string, bytes: number): void {
    this.#pages.set(name, bytes);
    this.#bytes += bytes;
    if (isQueryName(name)) this.#queryPages += 1;
  }

  /** Evicts pages with a query first, because many such pages must not displace other pages. */
  #excess(): string[] {
    const gone: string[] = [];
    for (const onlyQueries of [true, false]) {
      for (const name of this.#pages.keys()) {
        if (!this.#isFull(onlyQueries)) break;
        if (onlyQueries && !isQueryName(name)) continue;
        this.delete(name);
        gone.push(name);
      }
    }
    return gone;
  }

  #isFull(ofQueries: boolean): boolean {
    const { pages, queryPages, bytes } = this.#limits;
    if (this.#pages.size > pages || this.#bytes > bytes) return true;
    return ofQueries && this.#queryPages > queryPages;
  }
}
