import assert from "node:assert/strict";
import type { Header } from "../messages/header_list.ts";
import { governingField } from "./governing_field.ts";

const OWN = "svc-cdn-cache-control";
const CDN = "cdn-cache-control";
const PLAIN = "cache-control";

/** Fields, whether a targeted field governs the cache, and the resulting `max-age`. */
const ROWS: Readonly<Record<string, readonly [Header[], boolean, number | undefined]>> = {
  "Cache-Control governs if there is no targeted field": [[[PLAIN, "max-age=1"]], false, 1],
  "the CDN's field takes precedence over Cache-Control": [
    [[PLAIN, "max-age=1"], [CDN, "max-age=2"]],
    true,
    2,
  ],
  "svc's own field takes precedence over the CDN's field": [
    [[CDN, "max-age=2"], [PLAIN, "max-age=1"], [OWN, "max-age=3"]],
    true,
    3,
  ],
  "several lines of a field are joined": [[[CDN, "public"], [CDN, "max-age=4"]], true, 4],
  "a later member replaces an earlier one": [[[CDN, "max-age=1, max-age=2"]], true, 2],
  "a targeted field without a lifetime governs": [
    [[PLAIN, "max-age=1"], [CDN, "public"]],
    true,
    undefined,
  ],
  "parameters are ignored": [[[CDN, "max-age=5;q=1"]], true, 5],
  "an empty field counts as missing": [[[PLAIN, "max-age=1"], [CDN, " "]], false, 1],
  "a malformed field counts as missing": [[[PLAIN, "max-age=1"], [CDN, "max-age=5, =,"]], false, 1],
  "a directive with capitals makes a structured field malformed": [
    [[PLAIN, "max-age=1"], [CDN, "Max-Age=5"]],
    false,
    1,
  ],
  "a malformed field is skipped, and the next field governs": [
    [[OWN, "max-age=("], [CDN, "max-age=2"]],
    true,
    2,
  ],
  "a string is not a number of seconds": [[[CDN, 'max-age="60"']], true, 0],
  "a decimal is not a number of seconds": [[[CDN, "max-age=1.5"]], true, 0],
  "a list is not a number of seconds": [[[CDN, "max-age=(1 2)"]], true, 0],
  "a negative number of seconds is not valid": [[[CDN, "max-age=-1"]], true, 0],
};

for (const [name, [headers, isTargeted, maxAge]] of Object.entries(ROWS)) {
  Deno.test(`governingField(): ${name}`, () => {
    const found = governingField(headers);
    assert.deepEqual([found.isTargeted, found.control.seconds("max-age")], [isTargeted, maxAge]);
  });
}

Deno.test("governingField() reads field names only from strings", () => {
  const { control } = governingField([[CDN, 'private="set-cookie", no-cache, no-store=?0']]);
  assert.deepEqual(control.fields("private"), ["set-cookie"]);
  assert.ok(control.hasUnqualified("no-cache"));
  assert.ok(!control.has("no-store"));
});
