import assert from "node:assert/strict";
import { DOORWAYS, ROOMS } from "./_rooms.ts";
import { findCircles, findRoomViolations, type ImportEdge } from "./check_rooms.ts";

const faces = new Set([
  "src/cli/mod.ts",
  "src/platform/core/store/mod.ts",
  "src/rules/mod.ts",
]);
const HOUSE = { rooms: ROOMS, doorways: DOORWAYS, faces };

const edge = (from: string, to: string, line = 1): ImportEdge => ({ from, to, line });

const WELL_PLACED: readonly ImportEdge[] = [
  edge("main.ts", "src/cli/mod.ts"),
  edge("src/cli/deploy.ts", "src/client/client.ts"),
  edge("src/edge/handle.ts", "src/rules/mod.ts"),
  edge("src/edge/handle.ts", "src/edge/static/serve.ts"),
  edge("src/edge/handle.ts", "src/traffic/page_of.ts"),
  edge("src/rules/mod.ts", "src/rules/parse.ts"),
  edge("src/platform/core/http/router_test.ts", "src/platform/core/store/keys_store.ts"),
  edge("src/rules/parse.ts", "src/lib/toml.ts"),
  edge("src/serve/server.ts", "src/contract/common.ts"),
  edge("src/serve/compose.ts", "src/platform/core/store/mod.ts"),
  edge("src/cli/version.ts", "deno.json"),
  edge("tests/e2e/tour_test.ts", "src/contract/projects.ts"),
  edge("tests/e2e/tour_test.ts", "tests/e2e/_platform.ts"),
];

for (const given of WELL_PLACED) {
  Deno.test(`findRoomViolations() accepts ${given.from} -> ${given.to}`, () => {
    assert.deepEqual(findRoomViolations([given], HOUSE), []);
  });
}

const MISPLACED: readonly (readonly [string, ImportEdge, RegExp])[] = [
  [
    "an import from a higher room",
    edge("src/lib/x.ts", "src/rules/mod.ts", 7),
    /^src\/lib\/x\.ts:7: Room "lib" imports src\/rules\/mod\.ts, but may import only packages/,
  ],
  [
    "an import sideways",
    edge("src/rules/x.ts", "src/manifest/mod.ts"),
    /Room "rules" imports .* but may import only lib/,
  ],
  [
    "an import that bypasses a room's mod.ts",
    edge("src/edge/x.ts", "src/rules/parse.ts"),
    /Import src\/rules\/mod\.ts instead of src\/rules\/parse\.ts/,
  ],
  [
    "a test that bypasses a room's mod.ts",
    edge("tests/e2e/x_test.ts", "src/rules/parse.ts"),
    /Import src\/rules\/mod\.ts instead/,
  ],
  [
    "an import that bypasses a folder's mod.ts, from another room",
    edge("src/serve/x.ts", "src/platform/core/store/keys_store.ts"),
    /Import src\/platform\/core\/store\/mod\.ts instead of/,
  ],
  [
    "an import that bypasses a folder's mod.ts, from the same room",
    edge("src/platform/hooks/x.ts", "src/platform/core/store/keys_store.ts"),
    /Import src\/platform\/core\/store\/mod\.ts instead of/,
  ],
  [
    "main.ts that imports more than the command tree",
    edge("main.ts", "src/serve/mod.ts"),
    /main\.ts imports .* may import only the room "cli"/,
  ],
  [
    "a room that imports a script",
    edge("src/cli/x.ts", "scripts/demo.ts"),
    /Room "cli" imports scripts\/demo\.ts, which is in no room/,
  ],
  [
    "a room without an entry",
    edge("src/attic/x.ts", "src/lib/hash.ts"),
    /Room "attic" is not in scripts\/_rooms\.ts/,
  ],
];

for (const [name, given, expected] of MISPLACED) {
  Deno.test(`findRoomViolations() finds ${name}`, () => {
    const problems = findRoomViolations([given], HOUSE);
    assert.equal(problems.length, 1);
    assert.match(problems[0]!, expected);
  });
}

Deno.test("ROOMS itself has no cycle", () => {
  const edges = Object.entries(ROOMS).flatMap(([from, rooms]) => rooms.map((to) => edge(from, to)));
  assert.deepEqual(findCircles(edges), []);
});

Deno.test("findCircles() reports the shortest path, with file and line", () => {
  const problems = findCircles([
    edge("a.ts", "b.ts", 3),
    edge("b.ts", "c.ts"),
    edge("c.ts", "a.ts"),
    edge("b.ts", "a.ts"),
    edge("d.ts", "a.ts"),
  ]);
  assert.equal(problems.length, 1);
  assert.match(problems[0]!, /^a\.ts:3: Import cycle: a\.ts -> b\.ts -> a\.ts:/);
});

Deno.test("findCircles() reports each cycle once, including a file that imports itself", () => {
  const problems = findCircles([
    edge("a.ts", "a.ts"),
    edge("b.ts", "c.ts"),
    edge("c.ts", "b.ts"),
  ]);
  assert.equal(problems.length, 2);
});

Deno.test("findCircles() accepts two paths to the same file", () => {
  assert.deepEqual(
    findCircles([
      edge("a.ts", "b.ts"),
      edge("a.ts", "c.ts"),
      edge("b.ts", "d.ts"),
      edge("c.ts", "d.ts"),
    ]),
    [],
  );
});
