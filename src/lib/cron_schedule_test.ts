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

Deno.test("nextRun() returns one run on the night the clocks go back", () => {
  const schedule = { schedule: "30 2 * * *", timezone: "Europe/Berlin" };
  const first = nextRun(schedule, Date.parse("2026-10-24T22:00:00Z"))!;
  assert.equal(new Date(first).toISOString(), "2026-10-25T00:30:00.000Z");
  assert.equal(new Date(nextRun(schedule, first)!).toISOString(), "2026-10-26T01:30:00.000Z");
});

Deno.test("nextRun() skips no day when clocks go forward", () => {
  const schedule = { schedule: "30 2 * * *", timezone: "Europe/Berlin" };
  const next = nextRun(schedule, Date.parse("2026-03-28T22:00:00Z"))!;
  assert.equal(new Date(next).toISOString().slice(0, 10), "2026-03-29");
});

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
