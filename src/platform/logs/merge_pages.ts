/** Merges log pages from several nodes into one. Pure. @module */
import type { LogEntry } from "../../contract/logs.ts";
import type { LogCursor } from "./log_cursor.ts";
import type { LogLine, LogPlace } from "./log_files.ts";

/** The results of one node. */
export interface NodePage {
  /** Oldest first. */
  readonly lines: readonly LogLine[];
  /** The position at which to continue; `null` at the start of the log. */
  readonly next: LogPlace | null;
  /** The position from which the node started reading backwards. */
  readonly top: LogPlace;
}

/**
 * Merges the latest entries of all nodes by time, back to the point up to which all nodes have
 * searched.
 */
export function mergePages(
  pages: ReadonlyMap<string, NodePage>,
  limit: number,
): { readonly items: LogEntry[]; readonly cursor: LogCursor } {
  const left = [...pages].map(([node, page]) => ({ node, page, count: page.lines.length }))
    // Every node that merges pages orders entries with the same time in the same way.
    .sort((a, b) => a.node < b.node ? -1 : 1);
  const items: LogEntry[] = [];
  while (items.length < limit) {
    if (left.some(({ page, count }) => count === 0 && page.next !== null)) break;
    let latest: typeof left[number] | undefined;
    for (const each of left) {
      if (each.count === 0) continue;
      if (latest === undefined || timeOf(each) > timeOf(latest)) latest = each;
    }
    if (latest === undefined) break;
    items.push(latest.page.lines[--latest.count]!.entry);
  }
  const cursor = new Map<string, LogPlace>();
  for (const { node, page: { lines, next, top }, count } of left) {
    const place = count === 0 ? next : lines[count]?.place ?? top;
    if (place !== null) cursor.set(node, place);
  }
  return {
    items: items.reverse().sort((a, b) => a.time < b.time ? -1 : +(a.time > b.time)),
    cursor,
  };
}

function timeOf({ page, count }: { readonly page: NodePage; readonly count: number }): number {
  return Date.parse(page.lines[count - 1]!.entry.time);
}
