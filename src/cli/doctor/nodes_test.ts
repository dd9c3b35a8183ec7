import assert from "node:assert/strict";
import { judgeNodes } from "./nodes.ts";

const node = (id: string, more: { readonly version?: string; readonly lagMs?: number } = {}) => ({
  id,
  version: "1.2.0",
  addresses: [],
  since: "2026-11-25T00:00:00.000Z",
  lagMs: 3,
  roles: [],
  isSelf: id === "a",
  ...more,
});

const found = (...given: Parameters<typeof judgeNodes>) =>
  judgeNodes(...given).map(({ state, found, advice }) => [state, found, advice !== undefined]);

Deno.test("judgeNodes() reports nothing about a platform with one node", () => {
  assert.deepEqual(found({ items: [node("a")], lost: [] }), []);
});

Deno.test("judgeNodes() counts healthy nodes", () => {
  assert.deepEqual(found({ items: [node("a"), node("b", { lagMs: 5000 })], lost: [] }), [
    ["ok", "2 nodes, version 1.2.0", false],
  ]);
});

Deno.test("judgeNodes() reports nodes that are missing or behind, and mixed versions", () => {
  const items = [node("a"), node("b", { version: "1.3.0", lagMs: 8200 })];
  assert.deepEqual(found({ items, lost: ["c"] }), [
    ["warn", "node c ran in the last day but no longer responds", true],
    ["warn", "node b is 8 s behind the other nodes", true],
    ["warn", "nodes run versions 1.2.0 and 1.3.0", true],
  ]);
});
