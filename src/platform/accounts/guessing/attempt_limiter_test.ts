import assert from "node:assert/strict";
import { AttemptLimiter } from "./attempt_limiter.ts";

const START = Date.UTC(2026, 10, 21);

Deno.test("AttemptLimiter.take() doubles the pause up to a maximum", () => {
  let now = START;
  const limiter = new AttemptLimiter(
    { free: 3, firstPauseMs: 1000, longestPauseMs: 8000 },
    () => now,
  );
  const pauses: number[] = [];
  for (let attempt = 0; attempt < 9; attempt++) {
    assert.equal(limiter.take("a"), 0);
    const pause = limiter.take("a");
    if (pause > 0) pauses.push(pause);
    else limiter.refund("a");
    now += pause * 1000;
  }
  assert.deepEqual(pauses, [1, 2, 4, 8, 8, 8, 8]);
  assert.equal(limiter.take("b"), 0);
});

Deno.test("AttemptLimiter counts attempts when they begin, and starts over after a success", () => {
  const limiter = new AttemptLimiter(
    { free: 3, firstPauseMs: 1000, longestPauseMs: 8000 },
    () => START,
  );
  assert.deepEqual([1, 2, 3, 4].map(() => limiter.take("a")), [0, 0, 0, 1]);
  limiter.clear("a");
  assert.equal(limiter.take("a"), 0);
});

Deno.test("AttemptLimiter tracks a limited number of subjects", () => {
  const limiter = new AttemptLimiter(
    { free: 1, firstPauseMs: 1000, longestPauseMs: 8000 },
    () => START,
  );
  for (let n = 0; n < 20_001; n++) limiter.take(`s${n}`);
  assert.equal(limiter.count("s0"), 0);
  assert.equal(limiter.count("s1"), 1);
});
