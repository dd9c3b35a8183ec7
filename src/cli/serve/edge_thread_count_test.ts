import assert from "node:assert/strict";
import { usualEdgeThreads } from "./edge_thread_count.ts";

const GIBIBYTE = 1024 ** 3;

const ROWS = [
  { name: "one for each processor", given: {}, count: 4 },
  { name: "one processor", given: { processors: 1 }, count: 1 },
  { name: "memory for two", given: { memoryBytes: 1.2 * GIBIBYTE }, count: 2 },
  { name: "memory for none", given: { memoryBytes: GIBIBYTE / 8 }, count: 1 },
  { name: "a system that does not spread connections", given: { system: "darwin" }, count: 1 },
  {
    name: "more processors than the flag may name",
    given: { processors: 512, memoryBytes: 1024 * GIBIBYTE },
    count: 256,
  },
] as const;

for (const { name, given, count } of ROWS) {
  Deno.test(`usualEdgeThreads(): ${name}`, () => {
    const machine = { system: "linux", processors: 4, memoryBytes: 8 * GIBIBYTE } as const;
    assert.equal(usualEdgeThreads({ ...machine, ...given }), count);
  });
}
