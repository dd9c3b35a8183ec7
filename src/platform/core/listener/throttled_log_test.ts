import assert from "node:assert/strict";
import { ThrottledLog } from "./throttled_log.ts";

Deno.test("ThrottledLog.note() logs a message twice a minute, and counts the omitted ones", () => {
  const lines: string[] = [];
  let time = 0;
  const shortages = new ThrottledLog({ now: () => time, log: (line) => lines.push(line) });
  for (time = 0; time < 60_000; time += 10_000) shortages.note("Short");
  time = 60_000;
  shortages.note("Still short");
  assert.deepEqual(lines, [
    "Short",
    "Short (2 similar warnings suppressed)",
    "Still short (2 similar warnings suppressed)",
  ]);
});
