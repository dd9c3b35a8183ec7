import assert from "node:assert/strict";
import { dueTasks, minuteOf, spanOf } from "./due_tasks.ts";

const at = (text: string) => Date.parse(`2026-11-22T${text}Z`);
const MINUTELY = { path: "/minutely", schedule: "* * * * *" };
const HOURLY = { path: "/hourly", schedule: "0 * * * *" };
const BERLIN = { path: "/berlin", schedule: "0 11 * * *", timezone: "Europe/Berlin" };
const TASKS = [MINUTELY, HOURLY, BERLIN];

const ROWS: readonly (readonly [string, string, string | undefined, string[]])[] = [
  ["a minute", "10:05:00", "10:04:00", ["/minutely"]],
  ["the very first round", "10:05:00", undefined, ["/minutely"]],
  ["a full hour", "10:00:00", "09:59:00", ["/minutely", "/hourly", "/berlin"]],
  ["a pause of half an hour, each task once", "10:20:00", "09:50:00", [
    "/minutely",
    "/hourly",
    "/berlin",
  ]],
  ["a pause of half a day, of which only one hour counts", "12:30:00", "00:00:00", [
    "/minutely",
    "/hourly",
  ]],
  ["a round late in its minute", "10:00:41", "09:59:00", [
    "/minutely",
    "/hourly",
    "/berlin",
  ]],
];

for (const [name, now, previous, paths] of ROWS) {
  Deno.test(`dueTasks() returns the tasks for ${name}`, () => {
    const span = spanOf(minuteOf(at(now)), previous === undefined ? undefined : at(previous));
    assert.deepEqual(dueTasks(TASKS, span, 0).map(({ path }) => path), paths);
  });
}

Deno.test("dueTasks() omits tasks due before the deployment went live", () => {
  const span = { after: at("09:30:00"), until: at("10:30:00") };
  assert.deepEqual(dueTasks(TASKS, span, at("10:10:30")), [MINUTELY]);
  assert.deepEqual(dueTasks([HOURLY], span, at("10:00:00")), []);
  assert.deepEqual(dueTasks([HOURLY], span, at("09:59:59")), [HOURLY]);
});
