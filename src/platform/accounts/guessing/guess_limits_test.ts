import assert from "node:assert/strict";
import { Failure } from "../../core/http/failure.ts";
import { clientAt } from "../_test_accounts.ts";
import { DEVICE_MS, DeviceCookies } from "./device_cookie.ts";
import { type GuessedAccount, GuessLimits } from "./guess_limits.ts";

const START = Date.UTC(2026, 10, 22, 12);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ADA: GuessedAccount = { subject: "ada@example.com", userId: "ada" };

/** Limits and devices, with a clock that tests can set. */
function withLimits() {
  const clock = { at: START };
  const devices = new DeviceCookies({
    key: () => Promise.resolve("secret"),
    cookies: { secure: false },
    now: () => clock.at,
    random: (count) => crypto.getRandomValues(new Uint8Array(count)),
  });
  const limits = new GuessLimits(devices, () => clock.at);
  /** Makes a wrong guess. Returns the seconds to wait instead, or whether the owner is notified. */
  const guess = async (address: string, cookie: string | null = null, account = ADA) => {
    try {
      const begun = await limits.begin("password", clientAt(address, null, cookie), account);
      return { wait: 0, told: begun.fail(), succeed: begun.succeed };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return { wait: error.retryAfter!, told: false, succeed: () => {} };
    }
  };
  const cookieOf = async (userId: string) => (await devices.issue(userId)).split(";")[0]!;
  return { clock, guess, cookieOf };
}

Deno.test("GuessLimits: an attacker at one address cannot lock out the owner elsewhere", async () => {
  const { clock, guess } = withLimits();
  let tried = 0;
  for (let second = 0; second < 6 * 3600; second += 5) {
    if ((await guess("203.0.113.9")).wait === 0) tried++;
    clock.at += 5000;
    if (second % 600 !== 0) continue;
    const owner = await guess("192.0.2.1");
    assert.equal(owner.wait, 0, `after ${second} seconds`);
    owner.succeed();
  }
  assert.ok(tried < 45, `${tried} guesses in six hours`);
});

Deno.test("GuessLimits: five wrong guesses delay only their address and account", async () => {
  const { clock, guess } = withLimits();
  for (let count = 0; count < 5; count++) assert.equal((await guess("203.0.113.9")).wait, 0);
  assert.equal((await guess("203.0.113.9")).wait, 5);
  assert.equal((await guess("203.0.113.10")).wait, 0);
  assert.equal((await guess("203.0.113.9", null, { ...ADA, subject: "bob@x.example" })).wait, 0);
  clock.at += 4999;
  assert.equal((await guess("203.0.113.9")).wait, 1);
  clock.at += 1;
  assert.equal((await guess("203.0.113.9")).wait, 0);
  assert.equal((await guess("203.0.113.9")).wait, 10);
});

Deno.test("GuessLimits: many addresses share a limit, and a known browser has its own", async () => {
  const { clock, guess, cookieOf } = withLimits();
  const cookie = await cookieOf("ada");
  let tried = 0;
  for (let second = 0; second < 3600; second++) {
    const address = `198.51.${second % 250}.${second % 199}`;
    if ((await guess(address)).wait === 0) tried++;
    clock.at += 1000;
  }
  assert.ok(tried >= 60 && tried <= 100, `${tried} guesses in an hour from 250 networks`);
  assert.ok((await guess("192.0.2.1")).wait > 0, "an unknown browser waits with them");
  for (let count = 0; count < 10; count++) {
    assert.equal((await guess("192.0.2.1", cookie)).wait, 0, `attempt ${count}`);
  }
  assert.equal((await guess("192.0.2.1", cookie)).wait, 5, "a known browser is limited, too");
});

Deno.test("GuessLimits: a signed device cookie works for its account for half a year", async () => {
  const { clock, guess, cookieOf } = withLimits();
  const cookie = await cookieOf("ada");
  const block = async () => {
    for (let count = 0; count < 60; count++) await guess(`198.51.${count}.1`);
  };
  await block();
  const [name, value] = cookie.split("=");
  const [id, at] = value!.split(".");
  const others = {
    "of another account": await cookieOf("bob"),
    "of another account under this one's name": `${name}=${(await cookieOf("bob")).split("=")[1]}`,
    "with another time": `${name}=${id}.${Number(at) + 1}.${value!.split(".")[2]}`,
    "without a signature": `${name}=${id}.${at}.`,
  };
  for (const [which, planted] of Object.entries(others)) {
    assert.ok((await guess("192.0.2.1", planted)).wait > 0, which);
  }
  const both = `${name}=planted; ${others["with another time"]}; ${cookie}`;
  assert.equal(
    (await guess("192.0.2.1", both)).wait,
    0,
    "a planted cookie with the same name changes nothing",
  );
  clock.at += DEVICE_MS - HOUR;
  await block();
  assert.equal((await guess("192.0.2.1", cookie)).wait, 0);
  clock.at += HOUR;
  await block();
  assert.ok((await guess("192.0.2.1", cookie)).wait > 0);
});

Deno.test("GuessLimits: an address that tries many accounts is slowed down", async () => {
  const { guess } = withLimits();
  const account = (count: number) => ({ subject: `user-${count}@x.example`, userId: undefined });
  for (let count = 0; count < 20; count++) {
    assert.equal((await guess("203.0.113.9", null, account(count))).wait, 0);
  }
  assert.equal((await guess("203.0.113.9", null, account(20))).wait, 5);
});

Deno.test("GuessLimits: the tenth wrong guess notifies the owner, at most once a day", async () => {
  const { clock, guess } = withLimits();
  const toldAt: number[] = [];
  for (let count = 0; count < 40 * 4; count++) {
    if ((await guess(`203.0.113.${count % 40}`)).told) toldAt.push((clock.at - START) / HOUR);
    clock.at += HOUR / 4;
  }
  assert.deepEqual(toldAt, [2.25, 26.25]);
});

Deno.test("GuessLimits on several nodes share their counts, and reset them together", async () => {
  const devices = { find: () => Promise.resolve(undefined) };
  const nodes: GuessLimits[] = Array.from(
    { length: 3 },
    (_, own) =>
      new GuessLimits(devices, () => START, (ended) => {
        for (const [other, node] of nodes.entries()) if (other !== own) node.hear(ended);
      }),
  );
  const guess = (count: number) =>
    nodes[count % 3]!.begin("password", clientAt("203.0.113.9"), ADA);
  for (let count = 0; count < 4; count++) (await guess(count)).fail();
  (await guess(4)).succeed();
  for (let count = 5; count < 10; count++) (await guess(count)).fail();
  for (const node of nodes) {
    await assert.rejects(node.begin("password", clientAt("203.0.113.9"), ADA), Failure);
    (await node.begin("password", clientAt("192.0.2.1"), ADA)).succeed();
  }
});
