import assert from "node:assert/strict";
import config from "../../../deno.json" with { type: "json" };
import { agoText, durationText } from "./board_pieces.tsx";
import { HTMX_PATH, showHtmx } from "./scripts.ts";

const NOW = Date.parse("2026-11-22T12:00:00.000Z");
const SECOND = 1000;
const DAY = 86_400 * SECOND;

const agos = [
  [-5 * SECOND, "just now"],
  [59 * SECOND, "just now"],
  [60 * SECOND, "1 min ago"],
  [3600 * SECOND, "1 h ago"],
  [DAY, "yesterday"],
  [2 * DAY, "2 days ago"],
  [60 * DAY, "23 Sept 2026"],
] as const;

for (const [past, text] of agos) {
  Deno.test(`agoText() returns ${text} for ${past / SECOND} seconds`, () => {
    assert.equal(agoText(NOW - past, NOW), text);
  });
}

Deno.test("durationText() uses the most readable unit", () => {
  assert.deepEqual([300, 4000, 64_000, 7_500_000].map(durationText), [
    "under 1 s",
    "4 s",
    "1 min 4 s",
    "2 h 5 min",
  ]);
});

Deno.test("HTMX_PATH contains the version of htmx in deno.json", async () => {
  const version = config.imports["htmx.org"].split("@").at(-1);
  assert.equal(HTMX_PATH, `/assets/htmx-${version}.js`);
  assert.match(
    await (await showHtmx({ request: new Request("http://localhost/") })).text(),
    /htmx/,
  );
});
