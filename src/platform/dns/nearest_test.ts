import assert from "node:assert/strict";
import { nearest } from "./nearest.ts";

const places = ["DE", "US", "SG", "US", undefined].map((country, at) => ({ country, at }));

for (
  const [what, country, wanted] of [
    ["in the client's country", "DE", [0]],
    ["in the nearest country", "FR", [0]],
    ["across the edge of the map", "FJ", [2]],
    ["that are equally near", "CA", [1, 3]],
    ["for an unknown country", undefined, [0, 1, 2, 3, 4]],
    ["for a code without a location", "ZZ", [0, 1, 2, 3, 4]],
  ] as const
) {
  Deno.test(`nearest() finds the places ${what}`, () => {
    assert.deepEqual(nearest(places, country).map(({ at }) => at), wanted);
  });
}

Deno.test("nearest() returns all places if none of them has a known country", () => {
  assert.equal(nearest([{ country: undefined }, { country: "ZZ" }], "DE").length, 2);
});
