/** @module Checks the nodes of the current platform for `svc doctor`. */
import type * as z from "zod";
import { listNodes } from "../../contract/nodes.ts";
import type { Context } from "../session/context.ts";
import { printable } from "../terminal/format.ts";
import type { Point } from "./point.ts";

type Nodes = z.infer<typeof listNodes.response>;

/** Maximum lag of a node that counts as ready, in milliseconds. */
const MOST_LAG_MS = 5000;

const name = "nodes";

/** Checks a platform's nodes. Returns an empty list if the platform has only one node. */
export function judgeNodes({ items, lost }: Nodes): readonly Point[] {
  if (items.length < 2 && lost.length === 0) return [];
  const points: Point[] = [];
  for (const id of lost.map(printable)) {
    points.push({
      name,
      state: "warn",
      found: `node ${id} ran in the last day but no longer responds`,
      advice:
        "Check svc serve and its log on that node, and its connection to PostgreSQL. A removed node disappears after a day",
    });
  }
  for (const { id, lagMs } of items.filter(({ lagMs }) => lagMs > MOST_LAG_MS)) {
    points.push({
      name,
      state: "warn",
      found: `node ${printable(id)} is ${Math.round(lagMs / 1000)} s behind the other nodes`,
      advice:
        "The node is not ready, so load balancers skip it. Check its log, its load, and its connection to PostgreSQL",
    });
  }
  const versions = [...new Set(items.map(({ version }) => printable(version)))].sort();
  if (versions.length > 1) {
    points.push({
      name,
      state: "warn",
      found: `nodes run versions ${versions.join(" and ")}`,
      advice:
        "Upgrade all nodes to the newest version, one after the other. svc nodes lists their versions",
    });
  }
  if (points.length > 0) return points;
  return [{ name, state: "ok", found: `${items.length} nodes, version ${versions[0]}` }];
}

/** Fetches the list of nodes from the platform, which responds only to its owner. */
export async function examineNodes(ctx: Context): Promise<readonly Point[]> {
  try {
    return judgeNodes(await ctx.client({ phase: "auth" }).call(listNodes, {}));
  } catch (error) {
    if (ctx.signal.aborted) throw error;
    return [];
  }
}
