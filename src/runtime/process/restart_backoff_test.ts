import assert from "node:assert/strict";
import { backoffMs, MAX_BACKOFF_MS } from "./restart_backoff.ts";

Deno.test("backoffMs() lets the first failure pass, then doubles up to its limit", () => {
  assert.deepEqual([0, 1, 2, 3, 4].map(backoffMs), [0, 0, 100, 200, 400]);
  assert.equal(backoffMs(50), MAX_BACKOFF_MS);
});
