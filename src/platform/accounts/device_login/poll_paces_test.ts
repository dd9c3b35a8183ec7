import assert from "node:assert/strict";
import { startGrant } from "./device_grant.ts";
import { PollPaces } from "./poll_paces.ts";

const ISSUED = Date.UTC(2026, 10, 21, 12);

const issue = (deviceHash = "d", clientId: string | null = "svc") =>
  startGrant(
    {
      deviceHash,
      userHash: "u",
      clientId,
      tool: "svc",
      address: "::1",
      country: null,
      scope: "write",
    },
    ISSUED,
  );

/** Returns paces, and a function that polls the grant a number of seconds after it was issued. */
function polling(maxCodes?: number) {
  let now = ISSUED;
  let reads = 0;
  const paces = new PollPaces(() => now, maxCodes);
  const poll = (seconds: number, { grant = issue(), clientId = "svc", isBasic = false } = {}) => {
    now = ISSUED + seconds * 1000;
    if (paces.refuses(grant.deviceHash, { clientId, isBasic })) return "slow_down";
    reads++;
    return paces.count(grant, { isBasic });
  };
  return { paces, poll, reads: () => reads };
}

Deno.test("PollPaces allows polls that respect the interval", () => {
  const { poll } = polling();
  assert.deepEqual([0, 5, 10, 20].map((at) => poll(at)), Array(4).fill("pending"));
});

Deno.test("PollPaces tolerates polls that arrive a second early, regardless of how often", () => {
  const { poll } = polling();
  assert.deepEqual([1, 5, 9.001, 13.1].map((at) => poll(at)), Array(4).fill("pending"));
});

Deno.test("PollPaces slows down a client that polls too early", () => {
  const { poll } = polling();
  assert.deepEqual([1, 4.999].map((at) => poll(at)), ["pending", "slow_down"]);
});

Deno.test("PollPaces counts early polls within the same second once", () => {
  const { poll } = polling();
  const answers = [0, 0.1, 0.2, 1.05, 9.1].map((at) => poll(at));
  assert.deepEqual(answers, ["pending", "slow_down", "slow_down", "slow_down", "pending"]);
});

Deno.test("PollPaces does not count a retry without HTTP Basic authentication as another poll", () => {
  const { poll } = polling();
  const answers = [[0, true], [0.1, false], [5, true], [5.1, false], [5.2, false], [8, true]]
    .map(([at, isBasic]) => poll(Number(at), { isBasic: isBasic === true }));
  assert.deepEqual(answers, [...Array(4).fill("pending"), "slow_down", "slow_down"]);
  assert.equal(poll(8.1), "slow_down");
});

Deno.test("PollPaces adds 5 seconds with each slow_down", () => {
  const { poll } = polling();
  const answers = [0, 1, 9.999, 23.998, 43.998].map((at) => poll(at));
  assert.deepEqual(answers, ["pending", "slow_down", "slow_down", "slow_down", "pending"]);
});

Deno.test("PollPaces reads a grant once a second, regardless of how fast it is polled", () => {
  const { poll, reads } = polling();
  for (let tick = 0; tick < 100; tick++) {
    assert.equal(poll(tick / 50), tick === 0 ? "pending" : "slow_down");
  }
  assert.equal(reads(), 2);
});

Deno.test("PollPaces lets the next poll read a grant that has been decided or has expired", () => {
  const { paces, poll, reads } = polling();
  poll(0);
  poll(0.1);
  paces.forget("d");
  assert.equal(paces.refuses("d", { clientId: "svc", isBasic: false }), false);
  poll(299.5);
  assert.equal(reads(), 2);
  poll(300);
  assert.equal(reads(), 3);
});

Deno.test("PollPaces does not slow down a client because of another client's polls", () => {
  const { paces, poll } = polling();
  poll(0);
  assert.equal(paces.refuses("d", { clientId: "another", isBasic: false }), false);
  assert.equal(paces.refuses("another", { clientId: "svc", isBasic: false }), false);
  assert.equal(paces.refuses("d", { clientId: "svc", isBasic: false }), true);
});

Deno.test("PollPaces evicts the least recently read code", () => {
  const { paces, poll } = polling(2);
  for (const code of ["a", "b"]) poll(0, { grant: issue(code) });
  poll(5, { grant: issue("a") });
  poll(5, { grant: issue("c") });
  assert.deepEqual(
    ["a", "b", "c"].map((code) => paces.refuses(code, { clientId: "svc", isBasic: false })),
    [true, false, true],
  );
});
