import assert from "node:assert/strict";
import { testTimers } from "./_test_timers.ts";
import { Deadline, Deadlines } from "./deadlines.ts";

/**
 * Creates deadlines with a clock that the test advances, and the names of the deadlines that have
 * passed.
 */
function watch() {
  const timers = testTimers();
  const passed: string[] = [];
  return {
    timers,
    passed,
    deadlines: new Deadlines(40, timers),
    make: (name: string) => new Deadline(() => passed.push(name)),
  };
}

/**
 * How late a deadline of at least 40 ms can pass, in milliseconds: an eighth of 40 ms.
 */
const LATE_MS = 5;

Deno.test("Deadlines pass once, at the most recently set time, and never if they are cleared", () => {
  const { timers, deadlines, passed, make } = watch();
  const [kept, moved, cleared] = [make("kept"), make("moved"), make("cleared")];
  for (const deadline of [kept, moved, cleared]) deadlines.set(deadline, 100);
  timers.pass(90);
  assert.deepEqual(passed, [], "not before their time");
  deadlines.set(moved, 100);
  cleared.at = Infinity;
  timers.pass(10 + LATE_MS);
  assert.deepEqual(passed, ["kept"]);
  timers.pass(90);
  assert.deepEqual(passed, ["kept", "moved"]);
  deadlines.set(kept, 10);
  timers.pass(10 + LATE_MS);
  assert.deepEqual(
    passed,
    ["kept", "moved", "kept"],
    "a deadline that has passed can be set again",
  );
});

Deno.test("Deadlines have one timer, and none if nothing is watched", () => {
  const { timers, deadlines, make } = watch();
  assert.equal(timers.waiting(), 0);
  for (const name of ["a", "b", "c"]) deadlines.set(make(name), 100);
  assert.equal(timers.waiting(), 1);
  timers.pass(100 + LATE_MS);
  assert.equal(timers.waiting(), 0);
});

Deno.test("Deadlines.stop() forgets all deadlines", () => {
  const { timers, deadlines, passed, make } = watch();
  deadlines.set(make("x"), 1);
  deadlines.stop();
  timers.pass(100);
  assert.deepEqual(passed, []);
});
