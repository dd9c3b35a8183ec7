import assert from "node:assert/strict";
import { againstAim, againstMost, formatTable, median, whole } from "./_table.ts";

Deno.test("median() returns the middle, or the mean of the two middle values", () => {
  assert.equal(median([9, 1, 5]), 5);
  assert.equal(median([9, 1, 5, 7]), 6);
  assert.throws(() => median([]), RangeError);
});

Deno.test("formatTable() aligns numbers to the right and text to the left", () => {
  assert.equal(
    formatTable(["server", "requests/s"], [["nginx", "1,204"], ["svc", whole(98.6)]]),
    [
      "server  requests/s",
      "------  ----------",
      "nginx        1,204",
      "svc             99",
    ].join("\n"),
  );
});

Deno.test("againstAim() reports goals that are met and missed", () => {
  assert.equal(againstAim(0.8, 0.8), "0.80 (aim 0.8: met)");
  assert.equal(againstAim(1.99, 2), "1.99 (aim 2.0: MISSED)");
  assert.equal(againstAim(0.9, 0.95), "0.90 (aim 0.95: MISSED)");
});

Deno.test("againstMost() reports goals that are met and missed", () => {
  assert.equal(againstMost(1.15, 1.15), "1.15 (at most 1.15: met)");
  assert.equal(againstMost(1.3, 1.2), "1.30 (at most 1.2: MISSED)");
});
