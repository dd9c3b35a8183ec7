import assert from "node:assert/strict";
import type { FrontEdge } from "../../contract/edges.ts";
import { EdgesCard } from "./edges_card.tsx";

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
  country: "JP",
  roundTripMs: 84,
  version: "1.2.0",
  createdAt: "2026-11-01T09:00:00.000Z",
  ...more,
});

const cardOf = (edges: readonly FrontEdge[]) =>
  String(EdgesCard({ edges, path: "/workspaces/w/usage", csrf: "c", now: NOW }));

Deno.test("EdgesCard() marks countries with edges, and countries with lost edges", () => {
  const card = cardOf([
    edge("far"),
    edge("farther"),
    edge("near", { country: "FR", state: "lost", behind: null }),
  ]);
  assert.match(card, /front edges by country: 2 shown/);
  assert.match(card, /<path class="shade-4" d="[^"]+"><title>Japan: far, farther<\/title>/);
  assert.match(card, /<path class="lost" d="[^"]+"><title>France: near<\/title>/);
  assert.match(card, /84 ms away/);
});

Deno.test("EdgesCard() shows no map without locations, and offers to undrain edges", () => {
  const card = cardOf([edge("local-1", { country: null, isDrained: true, behind: 2 })]);
  assert.doesNotMatch(card, /<svg class="world"/);
  assert.match(card, /drained: receives no clients/);
  assert.match(card, /2 changes behind/);
  assert.match(card, /Use again/);
  assert.doesNotMatch(card, /name="drained"/);
});
