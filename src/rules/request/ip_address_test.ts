import assert from "node:assert/strict";
import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { formatIp, type IpAddress, IpBlockSet, parseCidr, parseIp } from "./ip_address.ts";

const ip = (text: string): IpAddress => {
  const parsed = parseIp(text);
  assert.ok(parsed !== undefined, text);
  return parsed;
};

const has = (cidrs: readonly string[], text: string): boolean =>
  new IpBlockSet(cidrs.map((cidr) => parseCidr(cidr) ?? assert.fail(cidr))).has(ip(text));

Deno.test("parseIp() unifies mapped addresses and refuses loose spellings", () => {
  assert.deepEqual(ip("::ffff:10.0.0.1"), ip("10.0.0.1"));
  assert.deepEqual(ip("::ffff:a00:1"), ip("10.0.0.1"));
  assert.deepEqual(ip("FE80::1%eth0"), ip("fe80:0:0:0:0:0:0:1"));
  for (
    const text of ["", "10.1", "0x7f.1", "010.0.0.1", "1.2.3.4.5", "256.0.0.1", "a", "::g", "1"]
  ) {
    assert.equal(parseIp(text), undefined, text);
  }
});

const ROWS: readonly [cidrs: readonly string[], address: string, inside: boolean][] = [
  [["10.0.0.0/8"], "10.255.255.255", true],
  [["10.0.0.0/8"], "11.0.0.0", false],
  [["10.0.0.0/8"], "::ffff:10.1.2.3", true],
  [["::ffff:10.0.0.0/104"], "10.1.2.3", true],
  [["::ffff:10.0.0.0/104"], "11.1.2.3", false],
  [["::ffff:0:0/96"], "1.2.3.4", true],
  [["0.0.0.0/0"], "255.255.255.255", true],
  [["0.0.0.0/0"], "::1", false],
  [["::/0"], "2001:db8::1", true],
  [["::/0"], "1.2.3.4", false],
  [["10.0.0.7"], "10.0.0.7", true],
  [["10.0.0.7"], "10.0.0.8", false],
  [["2001:db8::/33"], "2001:db8:7fff::1", true],
  [["2001:db8::/33"], "2001:db8:8000::1", false],
  [["10.0.0.0/9", "10.128.0.0/9"], "10.200.0.1", true],
  [["10.0.0.0/8", "10.1.0.0/16"], "10.200.0.1", true],
  [[], "10.0.0.1", false],
];

Deno.test("IpBlockSet.has() returns whether an address is in one of the blocks", async (t) => {
  for (const [cidrs, address, inside] of ROWS) {
    await t.step(
      `${cidrs.join(" ")} has ${address}`,
      () => assert.equal(has(cidrs, address), inside),
    );
  }
});

Deno.test("parseCidr() refuses anything but a block", () => {
  for (
    const text of ["", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/08", "::/129", "1.2.3.4/", "a/8"]
  ) {
    assert.equal(parseCidr(text), undefined, text);
  }
});

const v4 = fc.ipV4();
const v6 = fc.ipV6().filter((text) => ipaddr.isValid(text));
const near = fc.tuple(fc.constantFrom("10.0.", "10.1.", "192.168."), fc.nat(3), fc.nat(255))
  .map(([start, third, fourth]) => `${start}${third}.${fourth}`);

Deno.test("IpBlockSet agrees with ipaddr.js on any blocks and addresses", () => {
  const block = fc.oneof(
    fc.tuple(fc.oneof(v4, near), fc.nat(32)),
    fc.tuple(v6, fc.nat(128)),
  ).map(([address, bits]) => `${address}/${bits}`);
  fc.assert(fc.property(fc.array(block), fc.oneof(v4, v6, near), (cidrs, text) => {
    const address = ipaddr.process(text);
    const inside = cidrs.some((cidr) => {
      const [network, bits] = ipaddr.parseCIDR(cidr);
      fc.pre(!(network instanceof ipaddr.IPv6 && network.isIPv4MappedAddress()));
      return network.kind() === address.kind() && address.match(network, bits);
    });
    assert.equal(has(cidrs, text), inside);
  }));
});

Deno.test("formatIp() writes text that parseIp() reads as the same address", () => {
  fc.assert(fc.property(fc.oneof(v4, v6), (text) => {
    assert.deepEqual(ip(formatIp(ip(text))), ip(text));
  }));
});
