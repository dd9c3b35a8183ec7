import assert from "node:assert/strict";
import type { PollAnswer } from "../../client/device_login.ts";
import { waitForToken } from "./wait_for_token.ts";

const TOKEN: PollAnswer = {
  type: "token",
  token: {
    access_token: "t",
    token_type: "Bearer",
    workspace_slug: "acme",
    workspace_name: "Acme",
  },
};
const PENDING: PollAnswer = { type: "pending" };
const SLOW: PollAnswer = { type: "slow_down" };
const DENIED: PollAnswer = { type: "refused", code: "access_denied", message: "no" };
const lost = (wait = 0): PollAnswer => ({ type: "trouble", error: new Error("lost"), wait });

/**
 * Waits for these responses with a clock that advances only during waits. The last response
 * repeats.
 */
async function wait(answers: readonly PollAnswer[]) {
  const [waits, told]: [number[], boolean[]] = [[], []];
  let [now, polls] = [0, 0];
  const end = await waitForToken({
    authorization: {
      device_code: "d",
      user_code: "BCDF-GHJK",
      verification_uri: "http://x/device",
      verification_uri_complete: "http://x/device?code=BCDF-GHJK",
      expires_in: 300,
      interval: 5,
    },
    poll: () => Promise.resolve(answers[Math.min(polls++, answers.length - 1)]!),
  }, {
    now: () => now,
    sleep: (milliseconds) => {
      waits.push(milliseconds / 1000);
      now += milliseconds;
      return Promise.resolve();
    },
    onTrouble: (error) => told.push(error !== undefined),
  });
  return { end: end.type === "refused" ? end.code : end.type, waits, told, now: now / 1000 };
}

const ROWS: readonly (readonly [
  name: string,
  answers: readonly PollAnswer[],
  end: string,
  waits: readonly number[],
  told: readonly boolean[],
])[] = [
  ["waits before the first poll", [TOKEN], "token", [5], []],
  ["keeps the interval", [PENDING, PENDING, TOKEN], "token", [5, 5, 5], []],
  ["adds 5 seconds permanently", [SLOW, PENDING, SLOW, TOKEN], "token", [5, 10, 10, 15], []],
  ["stops after a refusal", [PENDING, DENIED], "access_denied", [5, 5], []],
  ["doubles while the connection is lost", [lost(), lost(), PENDING, TOKEN], "token", [
    5,
    10,
    20,
    5,
  ], [
    true,
    false,
  ]],
  ["waits at most 30 seconds", [lost(), lost(), lost(), lost(), TOKEN], "token", [
    5,
    10,
    20,
    30,
    30,
  ], [true]],
  ["waits as long as Retry-After requires", [lost(60_000), TOKEN], "token", [5, 60], [true]],
];

for (const [name, answers, end, waits, told] of ROWS) {
  Deno.test(`waitForToken() ${name}`, async () => {
    const { now: _, ...seen } = await wait(answers);
    assert.deepEqual(seen, { end, waits, told });
  });
}

for (const [name, answer] of [["pending", PENDING], ["lost", lost()], ["slow", SLOW]] as const) {
  Deno.test(`waitForToken() gives up when the code expires if all responses are ${name}`, async () => {
    const { end, now } = await wait([answer]);
    assert.equal(end, "expired_token");
    assert.ok(now > 240 && now <= 305, String(now));
  });
}
