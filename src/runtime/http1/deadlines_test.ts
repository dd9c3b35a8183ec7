import assert from "node:assert/strict";
import { Deadline, Deadlines } from "./deadlines.ts";

/** Deadlines by a clock that goes on with each look at it, and what has passed. */
function watch() {
  let time = 0;
  const passed: string[] = [];
  const deadlines = new Deadlines(40, () => time);
  return {
    passed,
    deadlines,
    at: (now: number) => time = now,
    make: (name: string) => new Deadline(() => passed.push(name)),
  };
}

/** Until the timer has looked at least once more. */
const look = () => new Promise((resolve) => setTimeout(resolve, 12));

Deno.test("Deadlines pass once, those that were moved or cleared not", async () => {
  const { deadlines, passed, at, make } = watch();
  const [kept, moved, cleared] = [make("kept"), make("moved"), make("cleared")];
  for (const deadline of [kept, moved, cleared]) deadlines.set(deadline, 100);
  await look();
  assert.deepEqual(passed, [], "not before their time");
  at(90);
  deadlines.set(moved, 100);
  cleared.at = Infinity;
  at(101);
  await look();
  assert.deepEqual(passed, ["kept"]);
  at(191);
  await look();
  await look();
  assert.deepEqual(passed, ["kept", "moved"]);
  deadlines.set(kept, 10);
  at(300);
  await look();
  assert.deepEqual(passed, ["kept", "moved", "kept"], "one may be set again");
});

Deno.test("Deadlines.stop() forgets them", async () => {
  const { deadlines, passed, at, make } = watch();
  deadlines.set(make("x"), 1);
  deadlines.stop();
  at(100);
  await look();
  assert.deepEqual(passed, []);
});
