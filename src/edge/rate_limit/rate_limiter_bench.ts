/**
 * @module Measures the cost of a check, and the memory of the counters, for up to a million
 * clients. Run by `deno task bench`. Setup is not timed.
 */
import { createRateLimiter, type RateLimiter, type RateLimitSubject } from "./rate_limiter.ts";

interface RateLimiterRow {
  readonly clients: number;
  /** Mean time of a client's first request. */
  readonly nanosecondsPerNewClient: number;
  /** Mean time of a later request, with clients in an order that no processor cache can predict. */
  readonly nanosecondsPerCheck: number;
  /** Memory of the counters, which is fixed. */
  readonly tableBytes: number;
  /** Number of evicted clients. */
  readonly evicted: number;
}

const SIZES = [1_000, 100_000, 1_000_000];
/** Twice the largest number of clients, so very few sets of slots are full. */
const SLOTS = 2 ** 21;
const CHECKS = 1_000_000;
/** Coprime to every size. */
const STRIDE = 7_368_787;
const POLICY = { limit: 100, windowSeconds: 60, key: "ip" } as const;

function timed(limiter: RateLimiter, count: number, addressOf: (index: number) => number): number {
  const address: { family: 4; value: number } = { family: 4, value: 0 };
  const subject: RateLimitSubject = {
    scope: "019aa1b2-deployment/api-limit",
    facts: { host: "shop.example", path: "/api/items", ip: () => address },
  };
  const started = performance.now();
  for (let index = 0; index < count; index++) {
    address.value = addressOf(index);
    limiter.check(subject, POLICY);
  }
  return (performance.now() - started) * 1e6 / count;
}

/** Measures every size, which takes about three seconds. */
export function benchRateLimiter(): readonly RateLimiterRow[] {
  const seed = { k0: 0x5eed, k1: 0xca11 };
  timed(createRateLimiter({ now: Date.now, seed, slots: 64 }), 20_000, (index) => index);
  return SIZES.map((clients) => {
    const limiter = createRateLimiter({ now: Date.now, seed, slots: SLOTS });
    timed(limiter, 1, () => 0); // creates the table
    return {
      clients,
      nanosecondsPerNewClient: timed(limiter, clients, (index) => index),
      nanosecondsPerCheck: timed(limiter, CHECKS, (index) => (index * STRIDE) % clients),
      tableBytes: limiter.byteLength,
      evicted: limiter.evicted,
    };
  });
}
