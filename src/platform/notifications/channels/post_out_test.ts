import assert from "node:assert/strict";
import { readRetryAfter } from "./post_out.ts";

const NOW = Date.UTC(2026, 0, 1, 12);

const rows = [
  [undefined, undefined],
  ["120", 120_000],
  [" 0 ", 0],
  ["Thu, 01 Jan 2026 12:01:00 GMT", 60_000],
  ["Thu, 01 Jan 2026 11:00:00 GMT", 0],
  ["soon", undefined],
  ["-5", undefined],
  ["1e9", undefined],
] as const;

for (const [value, wanted] of rows) {
  Deno.test(`readRetryAfter() returns ${wanted} for ${value}`, () => {
    assert.equal(readRetryAfter(value, NOW), wanted);
  });
}
