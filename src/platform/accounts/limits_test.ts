import assert from "node:assert/strict";
import fc from "fast-check";
import { AttemptLimiter } from "./attempt_limiter.ts";
import { RateWindow } from "./rate_window.ts";

const START = Date.UTC(2026, 10, 21);

Deno.test("AttemptLimiter.take() doubles the pause up to the longest", () => {
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

Deno.test("AttemptLimiter counts attempts when they begin, and forgets after success", () => {
  const limiter = new AttemptLimiter(
    { free: 3, firstPauseMs: 1000, longestPauseMs: 8000 },
    () => START,
  );
  assert.deepEqual([1, 2, 3, 4].map(() => limiter.take("a")), [0, 0, 0, 1]);
  limiter.clear("a");
  assert.equal(limiter.take("a"), 0);
});

Deno.test("AttemptLimiter holds a bounded number of subjects", () => {
  const limiter = new AttemptLimiter(
    { free: 1, firstPauseMs: 1000, longestPauseMs: 8000 },
    () => START,
  );
  for (let n = 0; n < 20_001; n++) limiter.take(`s${n}`);
  assert.equal(limiter.count("s0"), 0);
  assert.equal(limiter.count("s1"), 1);
});

Deno.test("RateWindow.take() lets the limit through, then says when to come back", () => {
  let now = START;
  const window = new RateWindow({ limit: 10, windowMs: 60_000 }, () => now);
  for (let n = 0; n < 10; n++) assert.equal(window.take("a"), 0);
  const wait = window.take("a");
  assert.ok(wait >= 60 && wait <= 66, String(wait));
  assert.equal(window.take("b"), 0);
  now += wait * 1000;
  assert.equal(window.take("a"), 0);
});

Deno.test("RateWindow never lets more than twice the limit pass in any window, and Retry-After holds", () => {
  fc.assert(fc.property(
    fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 200 }),
    (gaps) => {
      let now = START;
      const window = new RateWindow({ limit: 5, windowMs: 10_000 }, () => now);
      const passed: number[] = [];
      for (const gap of gaps) {
        now += gap;
        const wait = window.take("a");
        if (wait === 0) passed.push(now);
        else {
          now += wait * 1000;
          assert.equal(window.take("a"), 0);
          passed.push(now);
        }
      }
      for (const start of passed) {
        assert.ok(passed.filter((at) => at >= start && at < start + 10_000).length <= 10);
      }
    },
  ));
});
