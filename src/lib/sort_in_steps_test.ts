import assert from "node:assert/strict";
import { atOnce, inTurns } from "./next_turn.ts";
import { sortInSteps } from "./sort_in_steps.ts";

for (const length of [0, 1, 1999, 2000, 2001, 15_000]) {
  Deno.test(`sortInSteps() sorts ${length} items, and keeps the order of equal items`, () => {
    const items = Array.from({ length }, (_, n) => ({ key: (n * 7919) % 997, n }));
    const expected = [...items].sort((a, b) => a.key - b.key);
    assert.deepEqual(atOnce(sortInSteps(items, (a, b) => a.key < b.key)), expected);
  });
}

Deno.test("sortInSteps() makes a bounded number of comparisons between two interruptions", async () => {
  const items = Array.from({ length: 50_000 }, (_, n) => (n * 7919) % 50_021);
  let [compared, most] = [0, 0];
  const before = (a: number, b: number) => (compared++, a < b);
  await inTurns(sortInSteps(items, before), () => {
    most = Math.max(most, compared);
    compared = 0;
    return Promise.resolve();
  });
  assert.ok(most > 0 && most < 60_000, `${most}`);
});
