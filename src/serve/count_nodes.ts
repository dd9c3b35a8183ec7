/**
 * Counts nodes when one stops, because load balancers can only retry if there is another node.
 * @module
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Nodes } from "../platform/core/nodes/mod.ts";

/** How long a stopping node waits for the store to report whether there are others. */
const COUNT_MS = 1000;

/**
 * Asks the store if this node knows no others, because it may be new. If the store does not report
 * a number, the node's own list counts.
 */
export async function countNodes(
  nodes: Pick<Nodes, "count" | "list">,
  waitMs = COUNT_MS,
): Promise<number> {
  const known = nodes.count();
  if (known > 1) return known;
  const late = new AbortController();
  const counted = nodes.list().then(({ length }) => length, () => known);
  const waited = delay(waitMs, known, { signal: late.signal }).catch(() => known);
  return await Promise.race([counted, waited]).finally(() => late.abort());
}
