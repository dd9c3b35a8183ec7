import assert from "node:assert/strict";
import { soleNode } from "../platform/core/nodes/mod.ts";
import { type NodeView } from "../platform/core/nodes/mod.ts";
import { countNodes } from "./count_nodes.ts";

const VIEW: NodeView = {
  id: "a",
  home: "x",
  instance: "1",
  version: "1.0.0",
  addresses: [],
  url: "http://127.0.0.1:1",
  since: 0,
  lagMs: 0,
  roles: [],
};

Deno.test("countNodes() does not read the store if other nodes are known", async () => {
  const list = () => Promise.reject(new Error("asked"));
  assert.equal(await countNodes({ count: () => 3, list }), 3);
});

Deno.test("countNodes() includes nodes that joined later and are known only to the store", async () => {
  const list = () => Promise.resolve([VIEW, { ...VIEW, id: "b" }]);
  assert.equal(await countNodes({ count: () => 1, list }), 2);
});

Deno.test("countNodes() returns one if the platform has one node", async () => {
  const nodes = soleNode({ id: "a", instance: "1", self: () => VIEW });
  assert.equal(await countNodes(nodes), 1);
});

for (
  const [name, list] of [
    ["fails", () => Promise.reject(new Error("no store"))],
    ["does not respond in time", () => new Promise<never>(() => {})],
  ] as const
) {
  Deno.test(`countNodes() counts known nodes if the store ${name}`, async () => {
    assert.equal(await countNodes({ count: () => 1, list }, 5), 1);
  });
}
