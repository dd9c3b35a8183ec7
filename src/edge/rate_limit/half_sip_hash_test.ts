import assert from "node:assert/strict";
import { HalfSipHash } from "./half_sip_hash.ts";

/** The authors' test vectors (`vectors_hsip64`): key and input are the bytes 0, 1, 2, … */
const KEY = { k0: 0x03020100, k1: 0x07060504 };

Deno.test("HalfSipHash agrees with the authors' test vectors", () => {
  const hash = new HalfSipHash(KEY);
  hash.start();
  hash.finish(0);
  assert.deepEqual([hash.low, hash.high], [0x591f8d21, 0xc83cb8b9]);
  hash.start();
  hash.add(0x03020100);
  hash.finish(4 << 24);
  assert.deepEqual([hash.low, hash.high], [0x178ae7d5, 0xa12ee55b]);
});

Deno.test("HalfSipHash.addText() separates strings from each other", () => {
  const results = new Set<string>();
  for (const texts of [["ab", "c"], ["a", "bc"], ["abc", ""], ["", "abc"], ["abc"]]) {
    const hash = new HalfSipHash(KEY);
    hash.start();
    for (const text of texts) hash.addText(text);
    hash.finish(0);
    results.add(`${hash.low} ${hash.high}`);
  }
  assert.equal(results.size, 5);
});

Deno.test("HalfSipHash returns different results with another key", () => {
  const results = [KEY, { k0: 1, k1: 2 }].map((key) => {
    const hash = new HalfSipHash(key);
    hash.start();
    hash.addText("203.0.113.7");
    hash.finish(1);
    return hash.low;
  });
  assert.notEqual(results[0], results[1]);
});
