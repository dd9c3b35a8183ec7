import assert from "node:assert/strict";
import { AbandonedConnects } from "./abandoned_connects.ts";

Deno.test("a network with many abandoned connection attempts is not retried until some have settled", () => {
  const abandoned = new AbandonedConnects();
  const settle = Array.from({ length: 16 }, () => abandoned.add("192.0.2.1"));
  assert.equal(abandoned.allows("192.0.2.1"), false);
  assert.equal(abandoned.allows("192.0.2.2"), true);
  settle[0]!();
  assert.equal(abandoned.allows("192.0.2.1"), true);
  for (const each of settle.slice(1)) each();
  assert.equal(abandoned.size, 0);
});

Deno.test("addresses in the same IPv6 /64 count as one network", () => {
  const abandoned = new AbandonedConnects();
  for (let host = 1; host <= 16; host++) abandoned.add(`2001:db8:0:1::${host.toString(16)}`);
  assert.equal(abandoned.allows("2001:db8:0:1:ffff::1"), false);
  assert.equal(abandoned.allows("2001:db8:0:2::1"), true);
});

Deno.test("with too many abandoned attempts, only networks that have responded before are tried", () => {
  const abandoned = new AbandonedConnects();
  abandoned.answered("192.0.2.1");
  for (let net = 0; net < 256; net++) abandoned.add(`2001:db8:0:${net.toString(16)}::1`);
  assert.equal(abandoned.allows("192.0.2.1"), true);
  assert.equal(abandoned.allows("192.0.2.2"), false);
});
