/**
 * A person's inbox in memory, which makes the cost of counting and paging constant.
 *
 * @module
 */
import {
  EVENT_CATEGORIES,
  type EventCategory,
  PRIORITIES,
  type Priority,
} from "../../../contract/events.ts";
import * as z from "zod";
import type { InboxCounts } from "../../../contract/notifications.ts";
import { cellOf, CELLS, type Cells, idBytes, InboxPage, type RowState } from "./inbox_page.ts";

/** A bulk change. It is first stored as one record and then applied page by page. */
const bulkChange = z.object({
  number: z.number(),
  /** `read` and `archive` change the inbox, `delete` empties the archive. */
  type: z.enum(["read", "archive", "delete"]),
  at: z.number(),
  /** The workspaces whose rows change, by number; `null` for all workspaces. */
  places: z.array(z.number()).nullable(),
});
export type BulkChange = z.infer<typeof bulkChange>;

export const inboxHead = z.object({
  /** ID of the newest notification ever added; empty if none was ever added. */
  lastId: z.string(),
  /** Workspaces, indexed by number. The first entry is the account itself. */
  places: z.array(z.string()),
  /** Number of the newest bulk change. */
  changes: z.number(),
  /** Bulk changes that have not been applied to all pages yet, oldest first. */
  unfinished: z.array(bulkChange),
});
export type InboxHead = z.infer<typeof inboxHead>;

export const EMPTY_HEAD: InboxHead = { lastId: "", places: [""], changes: 0, unfinished: [] };

/** Selects notifications by workspace number; `null` for all workspaces. */
export type Places = readonly number[] | null;

export interface InboxFilter {
  readonly archived: boolean;
  readonly unreadOnly: boolean;
  readonly category?: EventCategory | undefined;
  readonly priority?: Priority | undefined;
}

export interface NumberedPage {
  readonly number: number;
  readonly page: InboxPage;
  /** IDs of deleted rows whose content is still in the store. */
  readonly removedIds: readonly string[];
  /** Whether the stored page lacks a bulk change. */
  readonly behind: boolean;
}

interface Spot {
  readonly page: NumberedPage;
  readonly row: number;
}

function cellsOf(filter: InboxFilter): number[] {
  const categories = filter.category === undefined ? EVENT_CATEGORIES : [filter.category];
  const priorities = filter.priority === undefined ? PRIORITIES : [filter.priority];
  const states = filter.unreadOnly ? [true] : [true, false];
  const { archived } = filter;
  return categories.flatMap((category) =>
    priorities.flatMap((priority) =>
      states.map((unread) => cellOf({ category, priority }, { archived, unread }))
    )
  );
}

function sum(cells: Cells, wanted: readonly number[], places: Places): number {
  let total = 0;
  for (const place of places ?? cells.keys()) {
    const counts = cells.get(place);
    if (counts !== undefined) { for (const index of wanted) total += counts[index]!; }
  }
  return total;
}

/**
 * Returns the IDs that a bulk change deletes from a page, and the changed page; `undefined` if
 * nothing changes.
 */
export function changePage(
  before: InboxPage,
  { type, at, places }: BulkChange,
): { readonly page: InboxPage; readonly deleted: readonly string[] } | undefined {
  let page: InboxPage | undefined;
  const deleted: string[] = [];
  for (let row = 0; row < before.count; row++) {
    if (before.isDeleted(row) || before.isArchived(row) !== (type === "delete")) continue;
    if (type === "read" && before.isRead(row)) continue;
    if (places !== null && !places.includes(before.placeAt(row))) continue;
    page ??= before.copy();
    if (type === "read") page.read(row, at);
    else if (type === "archive") page.archive(row, at);
    else {
      page.delete(row);
      deleted.push(before.stateAt(row).id);
    }
  }
  return page === undefined ? undefined : { page, deleted };
}

/**
 * Maximum number of pages per commit in `nextBehind()`. Deno KV allows 1000 changes and 800 KiB.
 */
const MAX_COMMIT_PAGES = 50;
const MAX_COMMIT_CHANGES = 600;

/** Returns the first outdated pages, up to as many as fit into one commit. */
export function nextBehind(pages: readonly NumberedPage[]): NumberedPage[] {
  const behind: NumberedPage[] = [];
  let changes = 0;
  for (const page of pages) {
    if (!page.behind) continue;
    changes += page.removedIds.length + 1;
    if (behind.length > 0 && changes > MAX_COMMIT_CHANGES) break;
    behind.push(page);
    if (behind.length === MAX_COMMIT_PAGES) break;
  }
  return behind;
}

export class InboxIndex {
  readonly #totals: Cells = new Map();
  readonly #list: NumberedPage[] = [];

  /** @param version the version of the stored head. Every change to the inbox changes it. */
  constructor(
    public head: InboxHead,
    pages: Iterable<NumberedPage>,
    public version: string | null = null,
  ) {
    for (const page of pages) this.put(page);
  }

  get pages(): readonly NumberedPage[] {
    return this.#list;
  }

  /** Replaces a page's older state, or appends the page. */
  put(page: NumberedPage): void {
    const index = this.#list.findLastIndex(({ number }) => number === page.number);
    if (index === -1) this.#list.push(page);
    else {
      this.#count(this.#list[index]!.page.cells, -1);
      this.#list[index] = page;
    }
    this.#count(page.page.cells, 1);
  }

  dropOldest(): void {
    const oldest = this.#list.shift();
    if (oldest !== undefined) this.#count(oldest.page.cells, -1);
  }

  /**
   * Returns the numbers that workspaces have in this inbox. In the list, `null` is the account
   * itself.
   */
  placesOf(workspaceIds: readonly (string | null)[] | null): Places {
    if (workspaceIds === null) return null;
    return workspaceIds.map((id) => this.head.places.indexOf(id ?? "")).filter((each) => each >= 0);
  }

  total(filter: InboxFilter, places: Places): number {
    return sum(this.#totals, cellsOf(filter), places);
  }

  counts(places: Places): InboxCounts {
    const tally = (category?: EventCategory) => ({
      total: this.total({ archived: false, unreadOnly: false, category }, places),
      unread: this.total({ archived: false, unreadOnly: true, category }, places),
    });
    const categories = EVENT_CATEGORIES.map((category) => [category, tally(category)] as const);
    return {
      ...tally(),
      categories: Object.fromEntries(categories) as InboxCounts["categories"],
    };
  }

  /** Lists notifications, newest first. Pages without matches cost almost nothing. */
  select(
    filter: InboxFilter,
    { places, offset, limit, before }: {
      readonly places: Places;
      readonly offset: number;
      readonly limit: number;
      /** ID of a notification. Only older ones are returned. */
      readonly before?: string | undefined;
    },
  ): RowState[] {
    const wanted = cellsOf(filter);
    const isWanted = new Set(wanted);
    const found: RowState[] = [];
    const end = before === undefined ? undefined : this.#spotOf(before);
    let skip = offset;
    for (let at = end?.page ?? this.#list.length - 1; at >= 0 && found.length < limit; at--) {
      const { page } = this.#list[at]!;
      const here = sum(page.cells, wanted, places);
      if (here <= skip) {
        skip -= here;
        continue;
      }
      const last = at === end?.page ? end.row : page.count;
      for (let row = last - 1; row >= 0 && found.length < limit; row--) {
        const index = page.cellAt(row);
        if (index === undefined || !isWanted.has(index)) continue;
        if (places !== null && !places.includes(page.placeAt(row))) continue;
        if (skip > 0) skip--;
        else found.push(page.stateAt(row));
      }
    }
    return found;
  }

  /**
   * Returns the IDs after a given one, oldest first; `undefined` if there are more than `limit`.
   */
  after(id: string, { places, limit }: { readonly places: Places; readonly limit: number }) {
    const bytes = idBytes(id);
    const found: RowState[] = [];
    for (let at = this.#firstPage(bytes); at < this.#list.length; at++) {
      const { page } = this.#list[at]!;
      for (let row = page.rowFrom(bytes); row < page.count; row++) {
        if (page.cellAt(row) === undefined || page.compareId(row, bytes) === 0) continue;
        if (places !== null && !places.includes(page.placeAt(row))) continue;
        if (found.length === limit) return undefined;
        found.push(page.stateAt(row));
      }
    }
    return found;
  }

  /** Finds the position of a notification, deleted or not; `undefined` if it never existed. */
  find(id: string, places: Places): Spot | undefined {
    const bytes = idBytes(id);
    const page = this.#list[this.#firstPage(bytes)];
    if (page === undefined) return undefined;
    const row = page.page.rowFrom(bytes);
    if (row === page.page.count || page.page.compareId(row, bytes) !== 0) return undefined;
    if (places !== null && !places.includes(page.page.placeAt(row))) return undefined;
    return { page, row };
  }

  /** Returns the position of the first notification whose ID is not less than the given one. */
  #spotOf(id: string): { readonly page: number; readonly row: number } | undefined {
    const bytes = idBytes(id);
    const at = this.#firstPage(bytes);
    const found = this.#list[at];
    return found === undefined ? undefined : { page: at, row: found.page.rowFrom(bytes) };
  }

  /** Returns the first page whose last ID is not less than the given one. */
  #firstPage(id: Uint8Array): number {
    let [low, high] = [0, this.#list.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const { page } = this.#list[middle]!;
      if (page.compareId(page.count - 1, id) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #count(cells: Cells, by: 1 | -1): void {
    for (const [place, counts] of cells) {
      let total = this.#totals.get(place);
      if (total === undefined) this.#totals.set(place, total = new Uint32Array(CELLS));
      for (let index = 0; index < CELLS; index++) {
        total[index] = total[index]! + by * counts[index]!;
      }
    }
  }
}
