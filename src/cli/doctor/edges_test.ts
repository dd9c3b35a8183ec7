import assert from "node:assert/strict";
import type { FrontEdge } from "../../contract/edges.ts";
import { judgeEdges } from "./edges.ts";

const NOW = Date.parse("2026-12-01T09:30:00.000Z");

const edge = (name: string, more: Partial<FrontEdge> = {}): FrontEdge => ({
  name,
  isLocal: false,
  state: "connected",
  isDrained: false,
  behind: 0,
  since: "2026-12-01T09:00:00.000Z",
  seenAt: "2026-12-01T09:29:58.000Z",
  address: "203.0.113.20",
  country: null,
  roundTripMs: null,
  version: "1.2.0",
  createdAt: "2026-11-01T09:00:00.000Z",
  ...more,
});

const found = (edges: readonly FrontEdge[]) =>
  judgeEdges(edges, NOW).map(({ state, found }) => `${state}: ${found}`);

Deno.test("judgeEdges() counts edges that are up to date", () => {
  assert.deepEqual(found([]), []);
  assert.deepEqual(found([edge("far"), edge("local-1", { isLocal: true })]), [
    "ok: 2 front edges have every change",
  ]);
});

Deno.test("judgeEdges() names edges that are disconnected, silent, behind or drained", () => {
  const edges = [
    edge("a"),
    edge("b", { state: "lost", behind: null }),
    edge("c", { state: "unseen", behind: null, since: null, seenAt: null }),
    edge("d", { seenAt: "2026-12-01T09:29:00.000Z" }),
    edge("e", { behind: 3 }),
    edge("f", { isDrained: true }),
  ];
  assert.deepEqual(found(edges), [
    "warn: front edge b was last seen at 2026-12-01T09:29:58.000Z",
    "warn: front edge c has not connected",
    "warn: front edge d was last seen at 2026-12-01T09:29:00.000Z",
    "warn: front edge e is 3 changes behind",
    "warn: front edge f is drained",
  ]);
});
