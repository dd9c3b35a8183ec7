import assert from "node:assert/strict";
import { AbandonedConnects } from "./abandoned_connects.ts";

Deno.test("a network with many strays is asked no more until some have settled", () => {
  const strays = new AbandonedConnects();
  const settle = Array.from({ length: 16 }, () => strays.add("192.0.2.1"));
  assert.equal(strays.allows("192.0.2.1"), false);
  assert.equal(strays.allows("192.0.2.2"), true);
  settle[0]!();
  assert.equal(strays.allows("192.0.2.1"), true);
  for (const each of settle.slice(1)) each();
  assert.equal(strays.size, 0);
});

Deno.test("addresses of one IPv6 /64 are one network", () => {
  const strays = new AbandonedConnects();
  for (let host = 1; host <= 16; host++) strays.add(`2001:db8:0:1::${host.toString(16)}`);
  assert.equal(strays.allows("2001:db8:0:1:ffff::1"), false);
  assert.equal(strays.allows("2001:db8:0:2::1"), true);
});

Deno.test("with too many strays in all, only those are asked who have answered before", () => {
  const strays = new AbandonedConnects();
  strays.answered("192.0.2.1");
  for (let net = 0; net < 256; net++) strays.add(`2001:db8:0:${net.toString(16)}::1`);
  assert.equal(strays.allows("192.0.2.1"), true);
  assert.equal(strays.allows("192.0.2.2"), false);
});
