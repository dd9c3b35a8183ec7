import assert from "node:assert/strict";
import { Distribution } from "../../traffic/mod.ts";
import { addCounts, judgeRelease, NO_COUNTS, type SideCounts } from "./judge_release.ts";

function side(requests: number, more: Partial<SideCounts> = {}, ms = 10): SideCounts {
  const times = new Distribution();
  for (let index = 0; index < requests; index++) times.add(ms);
  return { ...NO_COUNTS, requests, times: times.encode(), ...more };
}

/** Cases with the old side, the new side, and the reason for a rollback. */
const CASES: readonly (readonly [string, SideCounts, SideCounts, RegExp | undefined])[] = [
  ["both are healthy", side(1000), side(100), undefined],
  ["too few requests to judge", side(1000), side(19, { failures: 19, errors: 19 }), undefined],
  [
    "the first requests that are judged",
    side(1000),
    side(20, { failures: 1, errors: 1 }),
    /status 500/,
  ],
  ["a little worse", side(1000), side(1000, { failures: 19, errors: 19 }), undefined],
  [
    "both fail equally",
    side(1000, { failures: 100, errors: 100 }),
    side(1000, { failures: 150, errors: 150 }),
    undefined,
  ],
  [
    "it fails twice as often",
    side(1000, { failures: 100, errors: 100 }),
    side(1000, { failures: 200, errors: 200 }),
    /^200 of 1000 responses of the new deployment have status 500 or more \(20 %\), 100 of 1000/,
  ],
  ["it refuses more", side(1000), side(100, { errors: 10 }), /status 400 or more \(10 %\)/],
  ["without an old side", side(0), side(100, { failures: 3, errors: 3 }), /status 500/],
  ["it is slower", side(1000), side(100, {}, 700), /take up to \d+ ms/],
  ["slower by less than half a second", side(1000), side(100, {}, 400), undefined],
  ["slow, but too few requests to compare", side(1000), side(49, {}, 5000), undefined],
];

for (const [name, old, fresh, reason] of CASES) {
  Deno.test(`judgeRelease() where ${name}`, () => {
    const judged = judgeRelease({ old, fresh });
    if (reason === undefined) assert.equal(judged, undefined);
    else assert.match(judged ?? "", reason);
  });
}

Deno.test("addCounts() adds the counts of several processes", () => {
  const sum = addCounts([side(3, { errors: 1 }), side(4, { failures: 2 })]);
  assert.deepEqual([sum.requests, sum.errors, sum.failures], [7, 1, 2]);
  assert.deepEqual(addCounts([]), NO_COUNTS);
});
