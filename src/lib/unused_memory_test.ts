import assert from "node:assert/strict";
import { releaseUnusedMemory } from "./unused_memory.ts";

const [MANY, BYTES] = [20_000, 4_000];
const SYMBOLS = {
  malloc: { parameters: ["usize"], result: "pointer" },
  memset: { parameters: ["pointer", "i32", "usize"], result: "pointer" },
  free: { parameters: ["pointer"], result: "void" },
} as const;

const resident = (): number => Deno.memoryUsage().rss;

Deno.test({
  name: "releaseUnusedMemory() returns freed memory to the system",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const library = Deno.dlopen("libc.so.6", SYMBOLS);
    const { malloc, memset, free } = library.symbols;
    const blocks = Array.from({ length: MANY }, () => malloc(BigInt(BYTES)));
    // The last block is kept so that the allocator cannot shrink its heap from the end.
    const last = blocks.at(-1)!;
    try {
      for (const block of blocks) memset(block, 1, BigInt(BYTES));
      for (const block of blocks.slice(0, -1)) free(block);
      const before = resident();
      assert.equal(await releaseUnusedMemory(), true);
      const given = before - resident();
      assert(given > MANY * BYTES / 2, `${given} bytes`);
    } finally {
      free(last);
      library.close();
    }
  },
});
