import assert from "node:assert/strict";
import { parseRetryAfter } from "./retry.ts";

const NOW = Date.parse("2026-11-21T10:00:00Z");

const rows: [name: string, value: string | null, milliseconds: number | undefined][] = [
  ["no header", null, undefined],
  ["seconds", "7", 7000],
  ["seconds with spaces around them", " 7 ", 7000],
  ["zero", "0", 0],
  ["a date in the future", "Sat, 21 Nov 2026 10:00:30 GMT", 30_000],
  ["a date in the past", "Sat, 21 Nov 2026 09:00:00 GMT", 0],
  ["neither seconds nor a date", "soon", undefined],
];

for (const [name, value, milliseconds] of rows) {
  Deno.test(`parseRetryAfter() reads ${name}`, () => {
    assert.equal(parseRetryAfter(value, NOW), milliseconds);
  });
}
