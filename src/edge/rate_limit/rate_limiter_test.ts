import assert from "node:assert/strict";
import fc from "fast-check";
import { ExactLog } from "./_exact_log.ts";
import { policy, START, subject, testLimiter } from "./_test_limiter.ts";
import { createRateLimiter, DEFAULT_SLOTS, randomSeed } from "./rate_limiter.ts";

const CLIENT = subject("203.0.113.7");

Deno.test("check() allows requests up to the limit, then refuses", () => {
  const { limiter } = testLimiter();
  const verdicts = Array.from({ length: 4 }, () => ({ ...limiter.check(CLIENT, policy(3)) }));
  assert.deepEqual(verdicts.map(({ allowed }) => allowed), [true, true, true, false]);
  assert.deepEqual(verdicts.map(({ remaining }) => remaining), [2, 1, 0, 0]);
  assert.equal(verdicts[0]!.retryAfterSeconds, 0);
});

Deno.test("check() returns the first second in which one more request fits", () => {
  const test = testLimiter();
  test.now += 40_123;
  for (let count = 0; count < 5; count++) test.limiter.check(CLIENT, policy(5));
  const { retryAfterSeconds } = { ...test.limiter.check(CLIENT, policy(5)) };
  assert.ok(retryAfterSeconds > 52 && retryAfterSeconds <= 60, String(retryAfterSeconds));
  test.now += (retryAfterSeconds - 1) * 1000;
  assert.equal(test.limiter.check(CLIENT, policy(5)).allowed, false);
  test.now += 1000;
  assert.equal(test.limiter.check(CLIENT, policy(5)).allowed, true);
});

Deno.test("check() allows a request one window after the one that used up the limit", () => {
  for (let late = 0; late < 12_000; late += 997) {
    const test = testLimiter();
    test.now += late;
    test.limiter.check(CLIENT, policy(1, 10));
    assert.equal(test.limiter.check(CLIENT, policy(1, 10)).retryAfterSeconds <= 10, true);
    test.now += 10_000;
    assert.equal(test.limiter.check(CLIENT, policy(1, 10)).allowed, true, String(late));
  }
});

Deno.test("check() allows the full limit again after resetSeconds", () => {
  const test = testLimiter();
  for (let count = 0; count < 5; count++) test.limiter.check(CLIENT, policy(5));
  test.now += test.limiter.check(CLIENT, policy(5)).resetSeconds * 1000;
  assert.equal(test.limiter.check(CLIENT, policy(5)).remaining, 4);
});

Deno.test("check() allows a client at the rate of the limit, regardless of its pattern", () => {
  const test = testLimiter();
  let allowed = 0;
  for (let tick = 0; tick < 600; tick++, test.now += 1000) {
    if (test.limiter.check(CLIENT, policy(30)).allowed) allowed += 1;
  }
  assert.ok(allowed >= 270 && allowed <= 300, String(allowed));
});

/** Two requests, and whether they share a counter under each key. */
const SHARING = [
  {
    name: "the same client",
    a: subject("10.0.0.1"),
    b: subject("10.0.0.1"),
    shared: ["ip", "ip_path", "ip_host", "host"],
  },
  { name: "another address", a: subject("10.0.0.1"), b: subject("10.0.0.2"), shared: ["host"] },
  {
    name: "another path",
    a: subject("10.0.0.1"),
    b: subject("10.0.0.1", { path: "/a" }),
    shared: ["ip", "ip_host", "host"],
  },
  {
    name: "another host",
    a: subject("10.0.0.1"),
    b: subject("10.0.0.1", { host: "b.test" }),
    shared: ["ip", "ip_path"],
  },
  {
    name: "another rule",
    a: subject("10.0.0.1"),
    b: subject("10.0.0.1", { scope: "dep/b" }),
    shared: [],
  },
  {
    name: "an IPv4-mapped IPv6 address",
    a: subject("10.0.0.1"),
    b: subject("::ffff:10.0.0.1"),
    shared: ["ip", "ip_path", "ip_host", "host"],
  },
  {
    name: "the same /64",
    a: subject("2001:db8:1:2::1"),
    b: subject("2001:db8:1:2:ffff::9"),
    shared: ["ip", "ip_path", "ip_host", "host"],
  },
  {
    name: "another /64",
    a: subject("2001:db8:1:2::1"),
    b: subject("2001:db8:1:3::1"),
    shared: ["host"],
  },
  {
    name: "no address",
    a: subject("unknown"),
    b: subject("unix:"),
    shared: ["ip", "ip_path", "ip_host", "host"],
  },
] as const;

for (const row of SHARING) {
  Deno.test(`check() counts by the key of the limit: ${row.name}`, () => {
    for (const key of ["ip", "ip_path", "ip_host", "host"] as const) {
      const { limiter } = testLimiter();
      limiter.check(row.a, policy(1, 60, key));
      const shared = !limiter.check(row.b, policy(1, 60, key)).allowed;
      assert.equal(shared, (row.shared as readonly string[]).includes(key), key);
    }
  });
}

Deno.test("check() differs from an exact log only within its error bounds, for any traffic", () => {
  const gaps = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 9_000 })), {
    minLength: 1,
    maxLength: 120,
  });
  const cases = fc.record({
    gaps,
    limit: fc.integer({ min: 1, max: 12 }),
    windowSeconds: fc.integer({ min: 10, max: 60 }),
    offset: fc.nat(600_000),
  });
  fc.assert(fc.property(cases, ({ gaps, limit, windowSeconds, offset }) => {
    const test = testLimiter(8);
    test.now += offset;
    const window = windowSeconds * 1000;
    const log = new ExactLog();
    for (const gap of gaps) {
      test.now += gap;
      const verdict = test.limiter.check(CLIENT, policy(limit, windowSeconds));
      if (verdict.allowed) log.add(test.now);
      else assert.ok(log.within(window * 9 / 8, test.now) >= limit, "refused too early");
    }
    assert.ok(log.most(window) <= limit, "allowed too many requests");
  }));
});

Deno.test("check() allows no more than the limit when bursts span parts of a window", () => {
  for (const windowSeconds of [10, 60, 600]) {
    const part = windowSeconds * 1000 / 8;
    const test = testLimiter(8);
    const log = new ExactLog();
    test.now = Math.ceil(test.now / part) * part + part - 1;
    for (let tick = 0; tick < 64; tick++, test.now += part / 4) {
      for (let count = 0; count < 19; count++) {
        if (test.limiter.check(CLIENT, policy(20, windowSeconds)).allowed) log.add(test.now);
      }
    }
    assert.equal(log.most(windowSeconds * 1000), 20);
  }
});

Deno.test("check() allows a request after Retry-After, for any traffic", () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 4_000 }), { minLength: 1, maxLength: 60 });
  fc.assert(fc.property(gaps, fc.integer({ min: 1, max: 6 }), (gaps, limit) => {
    const test = testLimiter(8);
    for (const gap of gaps) {
      test.now += gap;
      const { allowed, retryAfterSeconds } = test.limiter.check(CLIENT, policy(limit, 17));
      if (!allowed) {
        assert.ok(retryAfterSeconds <= 17, `waits ${retryAfterSeconds} s for a window of 17`);
        test.now += retryAfterSeconds * 1000;
        assert.equal(test.limiter.check(CLIENT, policy(limit, 17)).allowed, true);
      }
    }
  }));
});

Deno.test("check() evicts the least used keys first when the table is full, and never grows", () => {
  const test = testLimiter(64);
  const { limiter } = test;
  for (let count = 0; count < 20; count++) limiter.check(CLIENT, policy(20));
  const bytes = limiter.byteLength;
  for (let index = 0; index < 20_000; index++) {
    limiter.check(subject(`10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`), policy(20));
  }
  assert.equal(limiter.check(CLIENT, policy(20)).allowed, false);
  assert.equal(limiter.byteLength, bytes);
  assert.ok(limiter.evicted > 19_000);
});

Deno.test("check() reuses slots of expired keys without evicting others", () => {
  const test = testLimiter(64);
  for (let round = 0; round < 20; round++, test.now += 120_000) {
    for (let index = 0; index < 8; index++) {
      test.limiter.check(subject(`10.0.${round}.${index}`), policy(5));
    }
  }
  assert.equal(test.limiter.evicted, 0);
});

Deno.test("check() keeps counting if the clock is set back, and locks no client out", () => {
  const test = testLimiter();
  for (let count = 0; count < 3; count++) test.limiter.check(CLIENT, policy(3));
  test.now = START - 5_000;
  assert.equal(
    test.limiter.check(CLIENT, policy(3)).allowed,
    false,
    "set back a little: earlier requests still count",
  );
  test.now = START - 3_600_000;
  assert.equal(
    test.limiter.check(CLIENT, policy(3)).allowed,
    true,
    "set back an hour: no client is locked out",
  );
});

Deno.test("check() counts the windows of two policies separately", () => {
  const { limiter } = testLimiter();
  assert.equal(limiter.check(CLIENT, policy(1, 10)).allowed, true);
  assert.equal(limiter.check(CLIENT, policy(1, 600)).allowed, true);
});

Deno.test("check() refuses an invalid window", () => {
  const { limiter } = testLimiter();
  for (const windowSeconds of [0, 1024, 1.5, Number.NaN]) {
    assert.throws(() => limiter.check(CLIENT, policy(1, windowSeconds)), RangeError);
  }
});

Deno.test("createRateLimiter() uses no memory before the first check", () => {
  const limiter = createRateLimiter({ now: () => START, seed: { k0: 0, k1: 0 } });
  assert.equal(limiter.byteLength, 0);
  limiter.check(CLIENT, policy(1));
  assert.equal(limiter.byteLength, DEFAULT_SLOTS * 48);
});

Deno.test("randomSeed() uses all the bytes that it is given", () => {
  const seed = randomSeed((count) => Uint8Array.from({ length: count }, (_, index) => index));
  assert.deepEqual(seed, { k0: 0x00010203, k1: 0x04050607 });
});
