/**
 * The `rate_limit` action: counters of clients in sliding windows, and the
 * header fields that report them. See `README.md`.
 *
 * @module
 */
export { type NamedVerdict, rateLimitHeaders, refusalHeaders } from "./rate_limit_headers.ts";
export {
  createRateLimiter,
  randomSeed,
  RateLimiter,
  type RateLimitVerdict,
} from "./rate_limiter.ts";
