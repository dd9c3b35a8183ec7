import assert from "node:assert/strict";
import { completeCacheSizes } from "./cache_sizes.ts";

const MIB = 1024 * 1024;

const MEMORIES = [
  { memory: 256, size: 32 },
  { memory: 1024, size: 64 },
  { memory: 4096, size: 256 },
  { memory: 1024 * 1024, size: 1024 },
] as const;

for (const { memory, size } of MEMORIES) {
  Deno.test(`completeCacheSizes() assigns each cache ${size} MiB of ${memory} MiB`, () => {
    const expected = { responses: size * MIB, files: size * MIB };
    assert.deepEqual(completeCacheSizes(undefined, memory * MIB), expected);
  });
}

Deno.test("completeCacheSizes() keeps sizes that are set", () => {
  const files = 64 * MIB;
  assert.deepEqual(completeCacheSizes({ responses: 0 }, 1024 * MIB), { responses: 0, files });
});
