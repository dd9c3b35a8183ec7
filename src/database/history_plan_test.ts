import assert from "node:assert/strict";
import { planHistory } from "./history_plan.ts";

const MB = 1024 * 1024;
const DAY = 24 * 60 * 60_000;
const NOW = Date.parse("2026-11-27T12:00:00Z");

const segment = (position: number, bytes = 16) => ({
  name: `00000001000000${Math.floor(position / 256).toString(16).padStart(2, "0")}000000` +
    (position % 256).toString(16).padStart(2, "0").toUpperCase(),
  bytes,
});
const base = (daysAgo: number, position: number, bytes = 10) => {
  const { name } = segment(position);
  const at = NOW - daysAgo * DAY;
  return { name: `${at}-${name}`, at, segment: name, bytes };
};
const plan = (
  bases: ReturnType<typeof base>[],
  positions: readonly number[],
  maxBytes = 100_000,
) => {
  const segments = positions.map((position) => segment(position));
  const found = planHistory({ bases, segments }, {
    keepMs: 2 * DAY,
    maxBytes,
    now: NOW,
    segmentBytes: 16 * MB,
  });
  return {
    bases: found.bases.map((each) => bases.indexOf(each)),
    segments: found.segments.map((each) => positions[segments.indexOf(each)]),
    needsBase: found.needsBase,
  };
};

Deno.test("planHistory() keeps the history of the last few days, within the size limit", () => {
  assert.deepEqual(plan([], [3, 4]), { bases: [], segments: [3, 4], needsBase: true });
  assert.deepEqual(
    plan([base(4, 2), base(3, 4), base(1.5, 255), base(0.5, 257)], [2, 3, 4, 255, 256, 257]),
    { bases: [2, 3], segments: [255, 256, 257], needsBase: false },
    "a base before a gap is useless",
  );
  assert.deepEqual(
    plan([base(4, 2), base(3, 3), base(1.5, 5), base(0.5, 6)], [2, 3, 4, 5, 6]),
    { bases: [1, 2, 3], segments: [3, 4, 5, 6], needsBase: false },
    "the newest base that is old enough stays",
  );
  assert.equal(plan([base(1, 2)], [2]).needsBase, true);
  assert.deepEqual(
    plan([base(0.9, 2), base(0.5, 4)], [2, 3, 4, 5], 60),
    { bases: [1], segments: [4, 5], needsBase: true },
    "the log since the newest base uses more than a quarter",
  );
});

Deno.test("planHistory() finds the next segment in a log with small segments", () => {
  const names = ["0000000100000000000003FF", "000000010000000100000000"];
  const segments = names.map((name) => ({ name, bytes: 4 }));
  const first = { name: "base", at: NOW, segment: segments[0]!.name, bytes: 10 };
  const limits = { keepMs: DAY, maxBytes: 1000, now: NOW };
  const kept = (segmentBytes: number) =>
    planHistory({ bases: [first], segments }, { ...limits, segmentBytes }).bases.length;
  assert.deepEqual([kept(4 * MB), kept(MB)], [1, 0]);
});
