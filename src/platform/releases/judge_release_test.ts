import assert from "node:assert/strict";
import { Distribution } from "../../traffic/mod.ts";
import { addCounts, judgeRelease, NO_COUNTS, type SideCounts } from "./judge_release.ts";

function side(requests: number, more: Partial<SideCounts> = {}, ms = 10): SideCounts {
  const times = new Distribution();
  for (let index = 0; index < requests; index++) times.add(ms);
  return { ...NO_COUNTS, requests, times: times.encode(), ...more };
}

/** Test cases, each with the old side, the new side, and the reason for a rollback. */
const CASES: readonly (readonly [string, SideCounts, SideCounts, RegExp | undefined])[] = [
  ["both sides are healthy", side(1000), side(100), undefined],
  ["there are too few requests", side(1000), side(19, { failures: 19, errors: 19 }), undefined],
  [
    "there are just enough requests",
    side(1000),
    side(20, { failures: 1, errors: 1 }),
    /status 500/,
  ],
  [
    "the new side is slightly worse",
    side(1000),
    side(1000, { failures: 19, errors: 19 }),
    undefined,
  ],
  [
    "both sides fail equally",
    side(1000, { failures: 100, errors: 100 }),
    side(1000, { failures: 150, errors: 150 }),
    undefined,
  ],
  [
    "the new side fails twice as often",
    side(1000, { failures: 100, errors: 100 }),
    side(1000, { failures: 200, errors: 200 }),
    /^200 of 1000 responses from the new deployment have status 500 or more \(20%\), compared with 100 of 1000/,
  ],
  [
    "the new side refuses more",
    side(1000),
    side(100, { errors: 10 }),
    /status 400 or more \(10%\)/,
  ],
  ["the old side has no requests", side(0), side(100, { failures: 3, errors: 3 }), /status 500/],
  ["the old side has few requests", side(3), side(100, { failures: 3, errors: 3 }), /status 500/],
  [
    "the few requests to the old side fail too",
    side(3, { failures: 2, errors: 2 }),
    side(100, { failures: 60, errors: 60 }),
    undefined,
  ],
  [
    "the old side has too few requests to compare refusals",
    side(19),
    side(30, { errors: 30 }),
    undefined,
  ],
  [
    "the old side has just enough requests to compare refusals",
    side(20),
    side(30, { errors: 30 }),
    /status 400 or more \(100%\), compared with 0 of 20/,
  ],
  ["the new side is slower", side(1000), side(100, {}, 700), /take up to \d+ ms/],
  ["it is slower by less than half a second", side(1000), side(100, {}, 400), undefined],
  ["it is slow, but has too few requests", side(1000), side(49, {}, 5000), undefined],
];

for (const [name, old, fresh, reason] of CASES) {
  Deno.test(`judgeRelease() ${reason === undefined ? "accepts" : "rejects"} a release if ${name}`, () => {
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
