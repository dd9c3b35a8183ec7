import assert from "node:assert/strict";
import { plotBars } from "./plot.ts";

Deno.test("plotBars() draws the largest value highest, and zero as a dot", () => {
  assert.equal(plotBars([0, 1, 2, 4, 8]), "·▂▃▅█");
  assert.equal(plotBars([0, 0]), "··");
  assert.equal(plotBars([]), "");
});

Deno.test("plotBars() adds up adjacent values if there are more values than columns", () => {
  assert.equal(plotBars(new Array(90).fill(1)), "█".repeat(45));
});
