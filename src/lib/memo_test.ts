import assert from "node:assert/strict";
import { memoize, RecentMap } from "./memo.ts";

Deno.test("memoize() computes once per string", () => {
  let computed = 0;
  const length = memoize((text) => (computed++, text.length), 4);
  assert.deepEqual([length("abc"), length("abc"), length("x")], [3, 3, 1]);
  assert.equal(computed, 2);
});

Deno.test("memoize() keeps requested entries during a flood of others", () => {
  const computed: string[] = [];
  const remembered = memoize((text) => (computed.push(text), text), 4);
  for (let index = 0; index < 100; index++) {
    remembered("hot");
    remembered(`cold ${index}`);
  }
  assert.equal(computed.filter((text) => text === "hot").length, 1);
  remembered("cold 0");
  assert.equal(computed.filter((text) => text === "cold 0").length, 2);
});

Deno.test("memoize() does not cache a very long string", () => {
  let computed = 0;
  const length = memoize((text) => (computed++, text.length), 4);
  const [short, long] = ["x".repeat(512), "x".repeat(513)];
  assert.deepEqual([length(short), length(short), length(long), length(long)], [
    512,
    512,
    513,
    513,
  ]);
  assert.equal(computed, 3);
});

Deno.test("RecentMap forgets deleted entries of either generation", () => {
  const map = new RecentMap<number>(1);
  map.set("old", 1);
  map.set("young", 2);
  map.delete("old");
  map.delete("young");
  assert.equal(map.get("old"), undefined);
  assert.equal(map.get("young"), undefined);
});
