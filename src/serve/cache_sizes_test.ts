import assert from "node:assert/strict";
import { completeCacheSizes, filesPerEdge, responseShares } from "./cache_sizes.ts";

const MIB = 1024 * 1024;

const MEMORIES = [
  { memory: 256, size: 32 },
  { memory: 1024, size: 64 },
  { memory: 4096, size: 256 },
  { memory: 1024 * 1024, size: 1024 },
] as const;

for (const { memory, size } of MEMORIES) {
  Deno.test(`completeCacheSizes() gives each cache ${size} MiB of ${memory}`, () => {
    const expected = { responses: size * MIB, files: size * MIB };
    assert.deepEqual(completeCacheSizes(undefined, memory * MIB), expected);
  });
}

Deno.test("completeCacheSizes() keeps what was chosen", () => {
  const files = 64 * MIB;
  assert.deepEqual(completeCacheSizes({ responses: 0 }, 1024 * MIB), { responses: 0, files });
});

for (const threads of [1, 2, 4, 16]) {
  Deno.test(`the caches of ${threads} edge threads and the platform keep to the sizes together`, () => {
    const sizes = { responses: 256 * MIB, files: 256 * MIB };
    const { platform, thread } = responseShares(sizes, threads);
    assert.equal(platform + threads * thread, sizes.responses);
    const files = filesPerEdge(sizes, threads);
    assert.ok(Math.abs(files * (threads === 1 ? 1 : threads + 1) - sizes.files) <= threads);
  });
}
