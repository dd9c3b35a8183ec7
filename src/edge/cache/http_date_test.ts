import assert from "node:assert/strict";
import fc from "fast-check";
import { formatHttpDate, parseHttpDate } from "./http_date.ts";

const NOW = Date.UTC(2026, 10, 16);
const TIME = Date.UTC(1994, 10, 6, 8, 49, 37);

const DATES = [
  { text: "Sun, 06 Nov 1994 08:49:37 GMT", time: TIME },
  { text: "Sunday, 06-Nov-94 08:49:37 GMT", time: TIME },
  { text: "Sun Nov  6 08:49:37 1994", time: TIME },
  { text: "Wednesday, 06-Nov-30 08:49:37 GMT", time: Date.UTC(2030, 10, 6, 8, 49, 37) },
  { text: "0", time: undefined },
  { text: "-1", time: undefined },
  { text: "", time: undefined },
  { text: "1994-11-06T08:49:37Z", time: undefined },
  { text: "Sun, 06 Nov 1994 08:49:37 +0200", time: undefined },
  { text: "Sun, 06 Nov 1994 28:49:37 GMT", time: undefined },
];

for (const { text, time } of DATES) {
  Deno.test(`parseHttpDate() reads "${text}" as ${time ?? "no date"}`, () => {
    assert.equal(parseHttpDate(text, NOW), time);
  });
}

Deno.test("parseHttpDate() reads every date that formatHttpDate() writes", () => {
  fc.assert(fc.property(fc.integer({ min: 0, max: 4e9 }), (seconds) => {
    assert.equal(parseHttpDate(formatHttpDate(seconds * 1000), NOW), seconds * 1000);
  }));
});
