import assert from "node:assert/strict";
import { type NamedVerdict, rateLimitHeaders, refusalHeaders } from "./rate_limit_headers.ts";

function verdict(change: Partial<NamedVerdict> = {}): NamedVerdict {
  return {
    name: "login",
    allowed: true,
    limit: 100,
    windowSeconds: 60,
    remaining: 40,
    resetSeconds: 55,
    retryAfterSeconds: 0,
    ...change,
  };
}

const REFUSED = { allowed: false, remaining: 0, retryAfterSeconds: 7 };

Deno.test("rateLimitHeaders() writes the policy and state of every limit", () => {
  assert.deepEqual(
    rateLimitHeaders([verdict(), verdict({ name: "all", limit: 5, remaining: 1 })]),
    [
      ["ratelimit-policy", '"login";q=100;w=60, "all";q=5;w=60'],
      ["ratelimit", '"login";r=40;t=55, "all";r=1;t=55'],
    ],
  );
});

Deno.test("rateLimitHeaders() writes nothing for an uncounted request", () => {
  assert.deepEqual(rateLimitHeaders([]), []);
});

Deno.test("rateLimitHeaders() keeps a rule's ID from breaking out of its string", () => {
  const [[, value] = ["", ""]] = rateLimitHeaders([verdict({ name: 'a"b\\c\r\nx: y é' })]);
  assert.equal(value, '"a\\"b\\\\c__x: y _";q=100;w=60');
});

Deno.test("refusalHeaders() waits for the slowest of the limits that refused", () => {
  const headers = refusalHeaders([
    verdict({ ...REFUSED, name: "a" }),
    verdict({ ...REFUSED, name: "b", retryAfterSeconds: 31 }),
    verdict({ name: "c", retryAfterSeconds: 50, remaining: 0 }),
  ]);
  assert.deepEqual(headers[0], ["retry-after", "31"]);
});

Deno.test("refusalHeaders() ends the effective window when Retry-After says so (draft, 6)", () => {
  assert.deepEqual(refusalHeaders([verdict(REFUSED)]), [
    ["retry-after", "7"],
    ["ratelimit-policy", '"login";q=100;w=60'],
    ["ratelimit", '"login";r=0;t=7'],
  ]);
});
