import assert from "node:assert/strict";
import { systemRandom } from "../../lib/clock.ts";
import type { Counting } from "./_test_counting_thread.ts";
import { RateLimiter, shareCounters } from "./rate_limiter.ts";

const NOW = Date.UTC(2026, 10, 22);
const SUBJECT = {
  scope: "p/r",
  facts: { host: "site.test", path: "/", ip: () => undefined },
};

/** Counts in a thread of its own; returns how many requests were allowed. */
async function count(counting: Counting): Promise<number> {
  const url = new URL("./_test_counting_thread.ts", import.meta.url);
  const worker = new Worker(url, { type: "module" });
  const counted = Promise.withResolvers<number>();
  worker.onmessage = ({ data }: MessageEvent<number>) => counted.resolve(data);
  worker.onerror = ({ message }) => counted.reject(new Error(message));
  worker.postMessage(counting);
  return await counted.promise.finally(() => worker.terminate());
}

Deno.test("limiters over one memory count together", () => {
  const counters = shareCounters(systemRandom, 8);
  const [one, other] = [0, 0].map(() => new RateLimiter({ ...counters, now: () => NOW }));
  const policy = { limit: 3, windowSeconds: 60, key: "host" } as const;
  const verdicts = [one, other, one, other].map((each) => each!.check(SUBJECT, policy).allowed);
  assert.deepEqual(verdicts, [true, true, true, false]);
});

Deno.test("four threads at once allow exactly the limit", async () => {
  const [requests, limit] = [50_000, 100_000];
  const counters = shareCounters(systemRandom, 8);
  const allowed = await Promise.all(
    Array.from({ length: 4 }, () => count({ counters, requests, limit, now: NOW })),
  );
  assert.equal(allowed.reduce((sum, each) => sum + each, 0), limit);
});

Deno.test("a lock that a thread left behind does not hold others up for ever", () => {
  const slots = 8;
  const counters = shareCounters(systemRandom, slots);
  // The only set of so small a table: its lock is the last word of the memory.
  new Int32Array(counters.memory).fill(1, -1);
  const limiter = new RateLimiter({ ...counters, now: () => NOW });
  const policy = { limit: 1, windowSeconds: 60, key: "host" } as const;
  assert.equal(limiter.check(SUBJECT, policy).allowed, true);
});
