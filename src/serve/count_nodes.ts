/**
 * How many nodes a platform has, as one that stops must know: a balancer can send requests to
 * another one only if there is one.
 *
 * @module
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Nodes } from "../platform/core/nodes/mod.ts";

/** How long a node that stops waits for the store to say whether there are others. */
const COUNT_MS = 1000;

/**
 * Counts the nodes that live. A node that started a moment ago has not heard of later ones: it
 * asks the store, and counts those that it knows where that does not respond in time.
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
