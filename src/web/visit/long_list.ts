/** @module Reads the part of a long list that a page's URL selects. */
import { PAGE_LIMIT_MAX } from "../../contract/common.ts";
import { isUuid } from "../../lib/ids.ts";
import type { Page } from "../../platform/core/store/mod.ts";

/** Number of entries per part of a list, on pages that also have other content. */
const LIST_SIZE = 25;

/** The requested part of a list: the number of entries, and where the part starts. */
export interface PageRange {
  readonly limit: number;
  readonly cursor?: string;
}

/** One part of a list, with the cursors that lead to the other parts. */
export interface ListPart<T> {
  readonly items: readonly T[];
  /** The cursor at which this part starts; `null` for the first part. */
  readonly cursor: string | null;
  readonly nextCursor: string | null;
}

/**
 * Reads a list's cursor from a URL. Returns `null` for the first part, or if the cursor is invalid.
 */
export function cursorIn(query: URLSearchParams, name = "cursor"): string | null {
  const cursor = query.get(name);
  return cursor !== null && isUuid(cursor) ? cursor : null;
}

/** Reads the requested part of the list `name` from the URL. */
export function pageRangeIn(query: URLSearchParams, name = "cursor"): PageRange {
  const cursor = cursorIn(query, name);
  return { limit: LIST_SIZE, ...(cursor === null ? {} : { cursor }) };
}

/** Reads the part of a list that a URL selects. */
export async function readPart<T>(
  query: URLSearchParams,
  name: string,
  read: (range: PageRange) => Promise<Page<T>>,
): Promise<ListPart<T>> {
  const { items, nextCursor } = await read(pageRangeIn(query, name));
  return { items, nextCursor, cursor: cursorIn(query, name) };
}

/** Maximum number of API pages that are read for a list of options. */
const MOST_PAGES = 10;

/** Reads a whole list, up to a thousand entries, for a form that offers the entries as options. */
export async function readChoices<T>(
  read: (range: PageRange) => Promise<Page<T>>,
): Promise<T[]> {
  const found: T[] = [];
  let cursor: string | null = null;
  for (let n = 0; n < MOST_PAGES; n++) {
    const page: Page<T> = await read({
      limit: PAGE_LIMIT_MAX,
      ...(cursor === null ? {} : { cursor }),
    });
    found.push(...page.items);
    cursor = page.nextCursor;
    if (cursor === null) break;
  }
  return found;
}
