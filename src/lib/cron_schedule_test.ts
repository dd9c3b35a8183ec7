import assert from "node:assert/strict";
import { isTimeZone, nextRun, scheduleProblem } from "./cron_schedule.ts";

const AT = Date.parse("2026-11-22T10:00:30Z");

const NEXT: readonly (readonly [string, string | undefined, string])[] = [
  ["* * * * *", undefined, "2026-11-22T10:01:00.000Z"],
  ["*/5 * * * *", undefined, "2026-11-22T10:05:00.000Z"],
  ["0 9 * * mon-fri", undefined, "2026-11-23T09:00:00.000Z"],
  ["0 9 * * MON-FRI", "Europe/Berlin", "2026-11-23T08:00:00.000Z"],
  ["30 0 1 JAN *", "America/New_York", "2027-01-01T05:30:00.000Z"],
  // A day is due if it matches the day of the month or the day of the week, as in a crontab.
  ["0 0 13 * FRI", undefined, "2026-11-27T00:00:00.000Z"],
  ["0 0 29 2 *", undefined, "2028-02-29T00:00:00.000Z"],
];

for (const [schedule, timezone, next] of NEXT) {
  Deno.test(`nextRun() returns ${next} for ${schedule} in ${timezone ?? "UTC"}`, () => {
    assert.equal(scheduleProblem(schedule), undefined);
    assert.equal(new Date(nextRun({ schedule, timezone }, AT)!).toISOString(), next);
  });
}

/** Schedules on nights when clocks change, each with the runs from the given time on. */
const CLOCK_CHANGES: readonly (readonly [string, string, string, readonly string[]])[] = [
  ["30 2 * * *", "Europe/Berlin", "2026-03-28T22:00Z", ["2026-03-29T01:00Z", "2026-03-30T00:30Z"]],
  [
    "15,45 2 * * *",
    "Europe/Berlin",
    "2026-03-28T22:00Z",
    ["2026-03-29T01:00Z", "2026-03-30T00:15Z", "2026-03-30T00:45Z"],
  ],
  [
    "0 */2 * * *",
    "Europe/Berlin",
    "2026-03-28T22:00Z",
    ["2026-03-28T23:00Z", "2026-03-29T01:00Z", "2026-03-29T02:00Z"],
  ],
  [
    "30 2,3 * * *",
    "Europe/Berlin",
    "2026-03-28T22:00Z",
    ["2026-03-29T01:00Z", "2026-03-29T01:30Z", "2026-03-30T00:30Z"],
  ],
  ["15 2 * * *", "Australia/Lord_Howe", "2026-10-03T12:00Z", [
    "2026-10-03T15:30Z",
    "2026-10-04T15:15Z",
  ]],
  ["30 2 * * *", "Europe/Berlin", "2026-10-24T22:00Z", ["2026-10-25T00:30Z", "2026-10-26T01:30Z"]],
  ["15,45 2 * * *", "Europe/Berlin", "2026-10-24T22:00Z", [
    "2026-10-25T00:15Z",
    "2026-10-25T00:45Z",
    "2026-10-26T01:15Z",
  ]],
  ["0 1-3 * * *", "Europe/Berlin", "2026-10-24T22:00Z", [
    "2026-10-24T23:00Z",
    "2026-10-25T00:00Z",
    "2026-10-25T02:00Z",
  ]],
  ["30 2 * * *", "Europe/Berlin", "2026-10-25T01:10Z", ["2026-10-26T01:30Z"]],
  ["*/30 * * * *", "Europe/Berlin", "2026-03-29T00:20Z", [
    "2026-03-29T00:30Z",
    "2026-03-29T01:00Z",
  ]],
  ["*/30 * * * *", "Europe/Berlin", "2026-10-25T00:20Z", [
    "2026-10-25T00:30Z",
    "2026-10-25T01:00Z",
    "2026-10-25T01:30Z",
  ]],
];

for (const [schedule, timezone, after, runs] of CLOCK_CHANGES) {
  Deno.test(`nextRun() follows the clocks for ${schedule} in ${timezone} after ${after}`, () => {
    let at = Date.parse(after);
    const found = runs.map(() => {
      at = nextRun({ schedule, timezone }, at)!;
      return new Date(at).toISOString().replace(":00.000Z", "Z");
    });
    assert.deepEqual(found, runs);
  });
}

const WRONG: readonly (readonly [string, RegExp])[] = [
  ["", /has 1 fields/],
  ["* * * *", /has 4 fields/],
  ["*/10 * * * * *", /has 6 fields/],
  ["@daily", /has 1 fields/],
  ["60 * * * *", /Invalid value for minute: 60/],
  ["0 0 31 2 *", /no date matches/],
  ["0 0 L * *", /"L" is not a crontab field/],
  ["0 0 * * FRI#2", /"FRI#2" is not a crontab field/],
  ["0 0 15W * *", /"15W" is not a crontab field/],
  ["a b c d e", /"a" is not a crontab field/],
  [`${"1,".repeat(200)}1 * * * *`, /longer than 200/],
];

for (const [schedule, problem] of WRONG) {
  Deno.test(`scheduleProblem() refuses "${schedule.slice(0, 20)}"`, () => {
    assert.match(scheduleProblem(schedule) ?? "", problem);
  });
}

Deno.test("isTimeZone() only accepts names of time zones", () => {
  for (const name of ["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires"]) {
    assert.ok(isTimeZone(name), name);
  }
  for (const name of ["", "+02:00", "Europe/Atlantis", "../etc/passwd"]) {
    assert.ok(!isTimeZone(name), name);
  }
});
