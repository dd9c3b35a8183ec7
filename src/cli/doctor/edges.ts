/**
 * Checks the front edges of the current platform for `svc doctor`.
 *
 * @module
 */
import { type FrontEdge, listEdges } from "../../contract/edges.ts";
import type { Context } from "../session/context.ts";
import { formatCount, printable } from "../terminal/format.ts";
import type { Point } from "./point.ts";

/**
 * Time in milliseconds after which an edge that has not been seen counts as disconnected: several
 * times the interval between an edge's heartbeats.
 */
const SILENT_MS = 20_000;

const name = "edges";

function problemOf(edge: FrontEdge, now: number): readonly [string, string] | undefined {
  const { state, isDrained, isLocal, behind, seenAt } = edge;
  const quietMs = seenAt === null ? 0 : now - Date.parse(seenAt);
  if (isDrained) return ["is drained", "Run svc edges drain --undo to use it again"];
  if (state !== "connected" || quietMs > SILENT_MS) {
    const since = seenAt === null ? "has not connected" : `was last seen at ${seenAt}`;
    const advice = isLocal
      ? "Check the svc serve log: it replaces an edge that exits"
      : "Check svc edge on its machine, and its connection to the platform. The edge serves the last state it received";
    return [since, advice];
  }
  if (behind === null || behind === 0) return undefined;
  return [`is ${formatCount(behind, "change")} behind`, "Check the load on its machine"];
}

/**
 * Names the edges that are disconnected, behind or drained. Returns an empty list if there are no
 * edges.
 */
export function judgeEdges(edges: readonly FrontEdge[], now: number): readonly Point[] {
  if (edges.length === 0) return [];
  const points = edges.flatMap((edge): readonly Point[] => {
    const [problem, advice] = problemOf(edge, now) ?? [];
    if (problem === undefined || advice === undefined) return [];
    const found = `front edge ${printable(edge.name)} ${problem}`;
    return [{ name, state: "warn", found, advice }];
  });
  if (points.length > 0) return points;
  const have = edges.length === 1 ? "has" : "have";
  const found = `${formatCount(edges.length, "front edge")} ${have} every change`;
  return [{ name, state: "ok", found }];
}

/** Fetches the list of edges from the platform, which responds only to its owner. */
export async function examineEdges(ctx: Context): Promise<readonly Point[]> {
  try {
    const { items } = await ctx.client({ phase: "auth" }).call(listEdges, {});
    return judgeEdges(items, ctx.now());
  } catch (error) {
    if (ctx.signal.aborted) throw error;
    return [];
  }
}
