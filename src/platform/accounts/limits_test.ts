import assert from "node:assert/strict";
import fc from "fast-check";
import { AttemptLimiter } from "./attempt_limiter.ts";
import { RateWindow } from "../core/access/rate_window.ts";

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
  let now = START + 59_000;
  const window = new RateWindow({ limit: 10, windowMs: 60_000 }, () => now);
  for (let n = 0; n < 10; n++) assert.equal(window.take("a"), 0);
  assert.equal(window.take("a"), 60);
  assert.equal(window.take("b"), 0);
  now += 59_999;
  assert.equal(window.take("a"), 1);
  now += 1;
  assert.equal(window.take("a"), 0);
});

Deno.test("RateWindow.standing() says what is left, and for how long", () => {
  let now = START;
  const window = new RateWindow({ limit: 2, windowMs: 60_000 }, () => now);
  const standing = () => {
    const { remaining, resetSeconds, retryAfterSeconds } = window.standing("a");
    return [remaining, resetSeconds, retryAfterSeconds];
  };
  assert.deepEqual(standing(), [2, 0, 0]);
  window.take("a");
  now += 10_000;
  window.take("a");
  assert.deepEqual(standing(), [0, 60, 50]);
  window.refund("a");
  assert.deepEqual(standing(), [1, 50, 0]);
});

for (const stepMs of [1, 3000]) {
  Deno.test(`RateWindow with steps of ${stepMs} ms counts exactly in any window, and Retry-After holds`, () => {
    fc.assert(fc.property(
      fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 200 }),
      (gaps) => {
        let now = START;
        const window = new RateWindow({ limit: 5, windowMs: 10_000, stepMs }, () => now);
        const passed: number[] = [];
        for (const gap of gaps) {
          now += gap;
          const wait = window.take("a");
          const within = passed.filter((at) => at > now - 10_000).length;
          const counted = passed.filter((at) => at > now - 10_000 - stepMs + 1).length;
          assert.ok(wait === 0 ? within < 5 : counted >= 5, `${wait} after ${within}`);
          assert.ok(wait <= 10);
          if (wait > 0) {
            now += wait * 1000;
            assert.equal(window.take("a"), 0);
          }
          passed.push(now);
        }
      },
    ));
  });
}
