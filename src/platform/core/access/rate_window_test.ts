import assert from "node:assert/strict";
import fc from "fast-check";
import { RateWindow } from "./rate_window.ts";

const START = Date.UTC(2026, 10, 21);

Deno.test("RateWindow.take() accepts requests up to the limit, and then reports when to retry", () => {
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

Deno.test("RateWindow.standing() reports how many requests remain, and when that changes", () => {
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
  Deno.test(`RateWindow with steps of ${stepMs} ms never exceeds the limit in any window, and its Retry-After is long enough`, () => {
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
