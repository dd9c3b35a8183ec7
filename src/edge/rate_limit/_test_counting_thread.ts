/**
 * A thread that counts requests of one client in counters that others share.
 *
 * @module
 */
import { RateLimiter, type SharedCounters } from "./rate_limiter.ts";

/** What a thread is told to do. */
export interface Counting {
  readonly counters: SharedCounters;
  readonly requests: number;
  readonly limit: number;
  readonly now: number;
}

const scope = globalThis as unknown as {
  onmessage: (event: MessageEvent<Counting>) => void;
  postMessage(allowed: number): void;
};

scope.onmessage = ({ data: { counters, requests, limit, now } }) => {
  const limiter = new RateLimiter({ ...counters, now: () => now });
  const facts = { host: "site.test", path: "/", ip: () => undefined };
  let allowed = 0;
  for (let request = 0; request < requests; request++) {
    const policy = { limit, windowSeconds: 60, key: "host" } as const;
    if (limiter.check({ scope: "p/r", facts }, policy).allowed) allowed++;
  }
  scope.postMessage(allowed);
};
