import assert from "node:assert/strict";
import type { ImportEdge } from "./check_rooms.ts";
import { type Building, findStoreyViolations } from "./check_storeys.ts";

const BUILDING: Building = {
  storeys: {
    "src/platform": ["hooks", "projects", "core/http", "core/store", "core/log.ts"],
    "src/edge": [".", "cache"],
  },
};

const edge = (from: string, to: string, line = 1): ImportEdge => ({ from, to, line });
const inPlatform = (from: string, to: string, line = 1) =>
  edge(`src/platform/${from}`, `src/platform/${to}`, line);

const WELL_PLACED: readonly ImportEdge[] = [
  inPlatform("hooks/service.ts", "projects/mod.ts"),
  inPlatform("hooks/service.ts", "hooks/store.ts"),
  inPlatform("core/http/router.ts", "core/store/mod.ts"),
  inPlatform("core/http/router.ts", "core/log.ts"),
  inPlatform("core/http/router.ts", "core/store/keys.ts"),
  inPlatform("core/store/records_test.ts", "hooks/store.ts"),
  edge("src/edge/handle.ts", "src/edge/cache/mod.ts"),
  edge("src/serve/server.ts", "src/platform/hooks/mod.ts"),
];

for (const given of WELL_PLACED) {
  Deno.test(`findStoreyViolations() accepts ${given.from} -> ${given.to}`, () => {
    assert.deepEqual(findStoreyViolations([given], BUILDING), []);
  });
}

const MISPLACED: readonly (readonly [string, ImportEdge, RegExp])[] = [
  [
    "an import from a higher storey",
    inPlatform("projects/routes.ts", "hooks/mod.ts", 7),
    /^src\/platform\/projects\/routes\.ts:7: Inner room "projects" .* "hooks" is above it/,
  ],
  [
    "an import of a file from a higher storey",
    inPlatform("core/store/records.ts", "core/http/router.ts"),
    /Inner room "core\/store" .* "core\/http" is above it/,
  ],
  [
    "an import of the folder's own files from below",
    edge("src/edge/cache/store.ts", "src/edge/handle.ts"),
    /Inner room "cache" of src\/edge .* "\." is above it/,
  ],
  [
    "a folder without an entry",
    inPlatform("attic/x.ts", "core/log.ts"),
    /src\/platform\/attic\/x\.ts is in no inner room of src\/platform/,
  ],
  [
    "an import of a folder without an entry",
    inPlatform("hooks/x.ts", "attic/mod.ts"),
    /src\/platform\/attic\/mod\.ts is in no inner room of src\/platform/,
  ],
];

for (const [name, given, expected] of MISPLACED) {
  Deno.test(`findStoreyViolations() finds ${name}`, () => {
    const problems = findStoreyViolations([given], BUILDING);
    assert.equal(problems.length, 1);
    assert.match(problems[0]!, expected);
  });
}

Deno.test("inner rooms that import each other are always a violation", () => {
  const circle = [
    inPlatform("hooks/service.ts", "projects/mod.ts"),
    inPlatform("projects/service.ts", "hooks/mod.ts"),
  ];
  assert.equal(findStoreyViolations(circle, BUILDING).length, 1);
});
