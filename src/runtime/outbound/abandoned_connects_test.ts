import assert from "node:assert/strict";
import { AbandonedConnects } from "./abandoned_connects.ts";

/** Returns the addresses to which a connection can be started without waiting. */
async function allowedNow(
  abandoned: AbandonedConnects,
  ...addresses: string[]
): Promise<readonly string[]> {
  return await abandoned.allowed(addresses, AbortSignal.timeout(1));
}

Deno.test("a network with many abandoned connection attempts is not retried until some have settled", async () => {
  const abandoned = new AbandonedConnects();
  const settle = Array.from({ length: 16 }, () => abandoned.add("192.0.2.1"));
  assert.deepEqual(await allowedNow(abandoned, "192.0.2.1"), []);
  assert.deepEqual(await allowedNow(abandoned, "192.0.2.1", "192.0.2.2"), ["192.0.2.2"]);
  const waiting = abandoned.allowed(["192.0.2.1"], new AbortController().signal);
  settle[0]!();
  assert.deepEqual(await waiting, ["192.0.2.1"]);
  for (const each of settle.slice(1)) each();
  assert.equal(abandoned.size, 0);
});

Deno.test("addresses in the same IPv6 /64 count as one network", async () => {
  const abandoned = new AbandonedConnects();
  for (let host = 1; host <= 16; host++) abandoned.add(`2001:db8:0:1::${host.toString(16)}`);
  assert.deepEqual(await allowedNow(abandoned, "2001:db8:0:1:ffff::1", "2001:db8:0:2::1"), [
    "2001:db8:0:2::1",
  ]);
});

Deno.test("with too many abandoned attempts, only networks that have responded before are tried", async () => {
  const abandoned = new AbandonedConnects();
  abandoned.answered("192.0.2.1");
  for (let net = 0; net < 256; net++) abandoned.add(`2001:db8:0:${net.toString(16)}::1`);
  assert.deepEqual(await allowedNow(abandoned, "192.0.2.1", "192.0.2.2"), ["192.0.2.1"]);
});
