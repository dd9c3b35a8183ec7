/** @module A limiter whose clock can be set by tests, and clients of the limiter. */
import { parseIp } from "../../rules/mod.ts";
import {
  createRateLimiter,
  type RateLimiter,
  type RateLimitPolicy,
  type RateLimitSubject,
} from "./rate_limiter.ts";

/** A Monday noon. */
export const START = Date.UTC(2026, 10, 16, 12);

interface TestLimiter {
  readonly limiter: RateLimiter;
  /** Milliseconds since the epoch. */
  now: number;
}

export function testLimiter(slots = 64): TestLimiter {
  const now = (): number => test.now;
  const test: TestLimiter = {
    now: START,
    limiter: createRateLimiter({ now, seed: { k0: 1, k1: 2 }, slots }),
  };
  return test;
}

export function subject(
  ip: string,
  options: { readonly path?: string; readonly host?: string; readonly scope?: string } = {},
): RateLimitSubject {
  const address = parseIp(ip);
  const { path = "/", host = "shop.test", scope = "dep/rule" } = options;
  return { scope, facts: { host, path, ip: () => address } };
}

export function policy(
  limit: number,
  windowSeconds = 60,
  key: RateLimitPolicy["key"] = "ip",
): RateLimitPolicy {
  return { limit, windowSeconds, key };
}
