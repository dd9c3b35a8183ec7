import assert from "node:assert/strict";
import { backoffMs, MAX_BACKOFF_MS, RestartBackoff } from "./restart_backoff.ts";

Deno.test("backoffMs() ignores the first failure, then doubles up to its limit", () => {
  assert.deepEqual([0, 1, 2, 3, 4].map(backoffMs), [0, 0, 100, 200, 400]);
  assert.equal(backoffMs(50), MAX_BACKOFF_MS);
});

Deno.test("RestartBackoff counts consecutive failures and resets after a healthy run", () => {
  let now = 0;
  const backoff = new RestartBackoff({ now: () => now });
  assert.ok(backoff.waitMs <= 0);
  const waits: number[] = [];
  for (let failure = 0; failure < 4; failure++) {
    backoff.failed(now);
    waits.push(backoff.waitMs);
  }
  assert.deepEqual(waits, [0, 100, 200, 400]);
  now = 150;
  assert.equal(backoff.waitMs, 250);
  backoff.failed(now - 60_000);
  assert.equal(backoff.waitMs, 800, "it failed in its first minute");
  backoff.failed(now - 60_001);
  assert.equal(backoff.waitMs, 0, "it ran for longer");
  backoff.failed();
  assert.equal(backoff.waitMs, 100, "it did not even start");
});
