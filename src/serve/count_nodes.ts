/**
 * Counts a platform's nodes for one that stops: a balancer can only send requests to another node
 * if there is one.
 *
 * @module
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Nodes } from "../platform/core/nodes/mod.ts";

/** How long a node that stops waits for the store to say whether there are others. */
const COUNT_MS = 1000;

/**
 * Counts the live nodes. A recently started node may not know later ones, so it asks the store, and
 * uses its own knowledge if that does not respond in time.
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
