/**
 * Counts nodes when one stops, because load balancers can retry only if there is another node.
 * @module
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Nodes } from "../platform/core/nodes/mod.ts";

/**
 * Maximum time that a stopping node waits for the store to report whether there are other nodes, in
 * milliseconds.
 */
const COUNT_MS = 1000;

/**
 * Counts the nodes. If this node has seen no other nodes, asks the store, because the node may be
 * new. If the store does not report a number, uses the node's own list.
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
