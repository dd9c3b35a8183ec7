import assert from "node:assert/strict";
import { Contention, CONTENTION_LIMIT_MS, whenUnlocked } from "./contention.ts";

/** Creates a clock that advances only during pauses. */
function pausedClock(chance = 1) {
  const pauses: number[] = [];
  let time = 0;
  return {
    pauses,
    elapsed: () => time,
    options: {
      now: () => time,
      random: () => chance,
      pause: (milliseconds: number) => {
        pauses.push(milliseconds);
        time += milliseconds;
        return Promise.resolve();
      },
    },
  };
}

Deno.test("Contention.wait() pauses longer each time, up to a limit, until its time is up", async () => {
  const clock = pausedClock();
  const contention = new Contention(clock.options);
  while (await contention.wait());
  assert.deepEqual(clock.pauses.slice(0, 7), [2, 4, 8, 16, 32, 50, 50]);
  assert.ok(clock.elapsed() >= CONTENTION_LIMIT_MS && clock.elapsed() < CONTENTION_LIMIT_MS + 50);
  assert.equal(await contention.wait(), false);
});

Deno.test("Contention.wait() randomly shortens a pause by up to half", async () => {
  const clock = pausedClock(0);
  const contention = new Contention(clock.options);
  await contention.wait();
  await contention.wait();
  assert.deepEqual(clock.pauses, [1, 2]);
});

Deno.test("whenUnlocked() waits while the database is locked, and for nothing else", async () => {
  const locked = new TypeError("database is locked");
  const clock = pausedClock();
  let attempts = 0;
  const late = () => ++attempts < 100 ? Promise.reject(locked) : Promise.resolve("stored");
  assert.equal(await whenUnlocked(late, clock.options), "stored");
  assert.equal(attempts, 100);

  const other = pausedClock();
  const broken = new TypeError("disk I/O error");
  await assert.rejects(whenUnlocked(() => Promise.reject(broken), other.options), broken);
  assert.deepEqual(other.pauses, []);
  await assert.rejects(whenUnlocked(() => Promise.reject(locked), other.options), locked);
  assert.ok(other.elapsed() >= CONTENTION_LIMIT_MS);
});
