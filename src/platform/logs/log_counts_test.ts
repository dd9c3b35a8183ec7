import assert from "node:assert/strict";
import type { LogEntry } from "../../contract/logs.ts";
import { LogCounter, summarize } from "./log_counts.ts";

const NOON = Date.parse("2026-01-01T12:00:00Z");
const MINUTE = 60_000;

const request = (after: number, status: number, path: string): LogEntry => ({
  type: "request",
  time: new Date(NOON + after).toISOString(),
  deploymentId: "01890000-0000-7000-8000-000000000001",
  requestId: "r-1",
  method: "GET",
  host: "shop.localhost",
  path,
  status,
  bytes: 1,
  durationMs: 1,
  ip: "192.0.2.1",
  userAgent: null,
});

function countsOf(entries: readonly LogEntry[], isComplete = true) {
  const counter = new LogCounter();
  for (const entry of entries) counter.add(entry);
  return counter.counts(isComplete);
}

Deno.test("summarize() adds up the counts of nodes, with a step length that fits the range", () => {
  const own = countsOf([
    request(0, 200, "/?a=1"),
    request(1000, 404, "/gone"),
    request(5 * MINUTE, 500, "/"),
  ]);
  const other = countsOf([request(5 * MINUTE + 1, 200, "/")], false);
  const now = NOON + 10 * MINUTE;
  const found = summarize([own, other], { since: NOON, until: undefined, now });
  assert.deepEqual(
    [found.from, found.to, found.stepSeconds, found.steps.length],
    ["2026-01-01T12:00:00.000Z", "2026-01-01T12:10:00.000Z", 60, 10],
  );
  assert.deepEqual(
    found.steps.map(({ entries, warnings, errors }) => [entries, warnings, errors])
      .filter(([entries]) => entries !== 0),
    [[2, 1, 0], [2, 0, 1]],
  );
  assert.deepEqual(found.facets.status, [
    { value: "200", count: 2 },
    { value: "404", count: 1 },
    { value: "500", count: 1 },
  ]);
  assert.deepEqual(found.facets.path, [{ value: "/", count: 3 }, { value: "/gone", count: 1 }]);
  assert.deepEqual([found.entries, found.isComplete], [4, false]);
});

Deno.test("summarize() starts at the oldest entry, and returns few steps for any range", () => {
  const counts = countsOf([request(-40 * 24 * 60 * MINUTE, 200, "/"), request(0, 200, "/")]);
  const long = summarize([counts], { since: undefined, until: undefined, now: NOON + 1 });
  assert.ok(long.steps.length <= 61, `${long.steps.length}`);
  assert.equal(long.steps.reduce((sum, { entries }) => sum + entries, 0), 2);
  const empty = summarize([], { since: undefined, until: undefined, now: NOON });
  assert.equal(empty.steps.length, 1);
  const all = summarize([counts], { since: 0, until: undefined, now: NOON + 1 });
  assert.equal(all.steps.reduce((sum, { entries }) => sum + entries, 0), 2);
  const ancient = summarize([], { since: 0, until: undefined, now: NOON });
  assert.ok(ancient.steps.length <= 600, `${ancient.steps.length}`);
});
