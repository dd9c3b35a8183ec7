/** @module Reads lists page by page. */

interface PageOf<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/**
 * Collects up to `limit` items from a list, reading as many pages as necessary. The result's
 * `nextCursor` continues after the last item.
 */
export async function collectPages<Item>(
  fetchPage: (query: { limit: number; cursor?: string }) => Promise<PageOf<Item>>,
  options: { readonly limit: number; readonly pageSize: number },
): Promise<{ items: Item[]; nextCursor: string | null }> {
  const items: Item[] = [];
  let cursor: string | undefined;
  while (true) {
    const limit = Math.min(options.pageSize, options.limit - items.length);
    const page = await fetchPage(cursor === undefined ? { limit } : { limit, cursor });
    items.push(...page.items);
    if (page.nextCursor === null || items.length >= options.limit) {
      return { items, nextCursor: page.nextCursor };
    }
    cursor = page.nextCursor;
  }
}
