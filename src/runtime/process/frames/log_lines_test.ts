import assert from "node:assert/strict";
import { LineLimit } from "./log_lines.ts";

Deno.test("LineLimit limits the number of lines per second and reports dropped lines once", () => {
  const limit = new LineLimit(2);
  const rows: readonly (readonly [number, boolean, number])[] = [
    [1000, true, 0],
    [1400, true, 0],
    [1999, false, 0],
    [1999, false, 0],
    [2000, true, 2],
    [2001, true, 0],
    [2002, false, 0],
    [9000, true, 1],
    [10_000, true, 0],
  ];
  for (const [time, passes, dropped] of rows) {
    assert.deepEqual(limit.take(time), { passes, dropped }, `at ${time}`);
  }
});
