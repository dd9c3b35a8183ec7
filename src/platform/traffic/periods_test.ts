import assert from "node:assert/strict";
import type { TrafficRange } from "../../contract/traffic.ts";
import { stepsOf } from "./periods.ts";

const NOW = Date.parse("2026-11-27T12:34:56Z");
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const cases: readonly (readonly [TrafficRange, age: number, unit: string, steps: number])[] = [
  ["hour", 0, "minute", 60],
  ["hour", 80 * DAY, "minute", 60],
  ["day", 0, "minute", 24],
  ["day", 2 * HOUR - 1, "minute", 121],
  ["day", 2 * HOUR, "hour", 24],
  ["day", 80 * DAY, "hour", 24],
  ["90d", HOUR, "minute", 61],
  ["90d", 3 * HOUR, "hour", 24],
  ["90d", 2 * DAY - 1, "hour", 49],
  ["90d", 2 * DAY, "day", 90],
];

for (const [range, age, unit, steps] of cases) {
  Deno.test(`stepsOf() shows ${range} for a ${age / MINUTE}-minute-old project by ${unit}`, () => {
    const found = stepsOf(range, NOW, NOW - age);
    assert.equal(found.unit, unit);
    assert.equal(found.starts.length, steps);
    assert.ok(found.starts.at(-1)! <= NOW);
    assert.ok(unit !== "minute" || range === "hour" || found.starts[0]! <= NOW - age);
  });
}
