import assert from "node:assert/strict";
import { GuessLimiter, LONGEST_WAIT_MS } from "./guess_limiter.ts";

Deno.test("GuessLimiter allows a few wrong passwords, then makes each wait longer", () => {
  let now = 0;
  const limiter = new GuessLimiter(() => now);
  for (let guess = 0; guess < 5; guess++) {
    assert.equal(limiter.takeTurn("a"), 0);
    limiter.failed("a");
  }
  assert.equal(limiter.takeTurn("a"), 0);
  assert.equal(limiter.takeTurn("a"), 200, "the next attempt at the same moment waits");
  assert.equal(limiter.takeTurn("b"), 0, "others do not wait");
  now += 400;
  limiter.failed("a");
  assert.equal(limiter.takeTurn("a"), 0);
  assert.equal(limiter.takeTurn("a"), 400);
  limiter.succeeded("a");
  assert.equal(limiter.takeTurn("a"), 0);
});

Deno.test("GuessLimiter refuses attempts that would wait too long, and forgets failures over time", () => {
  let now = 0;
  const limiter = new GuessLimiter(() => now);
  for (let guess = 0; guess < 40; guess++) limiter.failed("a");
  const waits = Array.from({ length: 10 }, () => limiter.takeTurn("a"));
  assert.ok(waits.every((wait) => wait === undefined || wait <= LONGEST_WAIT_MS));
  assert.deepEqual(waits.slice(0, 3), [0, 5000, 10_000]);
  assert.equal(waits.at(-1), undefined);
  now += 16 * 60_000;
  assert.equal(limiter.takeTurn("a"), 0);
  assert.equal(limiter.takeTurn("a"), 0);
});

Deno.test("GuessLimiter remembers a limited number of failures, and forgets the oldest", () => {
  const limiter = new GuessLimiter(() => 0);
  for (let guess = 0; guess < 6; guess++) limiter.failed("first");
  for (let other = 0; other < 10_000; other++) limiter.failed(`other ${other}`);
  assert.equal(limiter.takeTurn("first"), 0);
  assert.equal(limiter.takeTurn("first"), 0);
});
