import { type ChannelLimits } from "../../../contract/channels.ts";
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Random } from "../../../lib/clock.ts";
import { decideRetry, pauseBound } from "./retry_policy.ts";

const limits: ChannelLimits = {
  maxAttempts: 5,
  maxAgeMs: 100_000,
  firstPauseMs: 1000,
  factor: 3,
  longestPauseMs: 20_000,
  concurrency: 1,
  perHost: 1,
};
const NOW = Date.UTC(2026, 0, 1);
const always = (byte: number): Random => (count) => new Uint8Array(count).fill(byte);

for (
  const [attempt, bound] of [[1, 1000], [2, 3000], [3, 9000], [4, 20_000], [400, 20_000]] as const
) {
  Deno.test(`pauseBound() is ${bound} ms after attempt ${attempt}`, () => {
    assert.equal(pauseBound(attempt, limits), bound);
  });
}

Deno.test("decideRetry() spreads retries over the whole pause and never beyond it", () => {
  fc.assert(fc.property(
    fc.uint8Array({ minLength: 4, maxLength: 4 }),
    fc.integer({
      min: 1,
      max: 4,
    }),
    (bytes, attempts) => {
      const random: Random = () => new Uint8Array(bytes);
      const decision = decideRetry({ attempts, acceptedAt: NOW }, {
        limits,
        now: NOW,
        hostTrouble: false,
        random,
      });
      assert.ok(decision.type === "again");
      assert.ok(decision.at >= NOW && decision.at <= NOW + pauseBound(attempts, limits));
    },
  ));
  const earliest = decideRetry({ attempts: 3, acceptedAt: NOW }, {
    limits,
    now: NOW,
    hostTrouble: false,
    random: always(0),
  });
  const latest = decideRetry({ attempts: 3, acceptedAt: NOW }, {
    limits,
    now: NOW,
    hostTrouble: false,
    random: always(255),
  });
  assert.deepEqual(earliest, { type: "again", at: NOW });
  assert.deepEqual(latest, { type: "again", at: NOW + 9000 });
});

Deno.test("decideRetry() waits at least as long as the receiver asks", () => {
  const decision = decideRetry({ attempts: 1, acceptedAt: NOW }, {
    limits,
    now: NOW,
    hostTrouble: false,
    random: always(255),
    retryAfterMs: 30_000,
  });
  assert.deepEqual(decision, { type: "again", at: NOW + 30_000 });
});

Deno.test("decideRetry() gives up after the last attempt, and when the message is too old", () => {
  const facts = { limits, now: NOW, hostTrouble: false, random: always(0) };
  const gaveUp = (because: "attempts" | "age") => ({ type: "give_up", because });
  assert.deepEqual(decideRetry({ attempts: 5, acceptedAt: NOW }, facts), gaveUp("attempts"));
  assert.deepEqual(decideRetry({ attempts: 1, acceptedAt: NOW - 100_001 }, facts), gaveUp("age"));
  const down = { ...facts, hostTrouble: true };
  assert.equal(decideRetry({ attempts: 50, acceptedAt: NOW }, down).type, "again");
  assert.deepEqual(decideRetry({ attempts: 1, acceptedAt: NOW - 100_001 }, down), gaveUp("age"));
  assert.equal(decideRetry({ attempts: 4, acceptedAt: NOW - 100_000 }, facts).type, "again");
});
