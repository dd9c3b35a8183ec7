import assert from "node:assert/strict";
import fc from "fast-check";
import { parseCidr } from "../../request/ip_address.ts";
import { canonicalNetwork, networkOrSame } from "./network.ts";

Deno.test("canonicalNetwork() clears host bits and writes one spelling", () => {
  const rows: readonly (readonly [text: string, wanted: string])[] = [
    ["10.1.2.3/8", "10.0.0.0/8"],
    ["10.1.2.3", "10.1.2.3/32"],
    ["0.0.0.0/0", "0.0.0.0/0"],
    ["192.168.255.255/31", "192.168.255.254/31"],
    ["2001:DB8:0:0::1/32", "2001:db8::/32"],
    ["::1", "::1/128"],
    ["::/0", "::/0"],
    ["::ffff:10.1.2.3/104", "10.0.0.0/8"],
    ["::ffff:0a01:0203", "10.1.2.3/32"],
    ["::ffff:0:0/96", "0.0.0.0/0"],
    ["::ffff:0:0/80", "::/80"],
  ];
  for (const [text, wanted] of rows) {
    assert.deepEqual(canonicalNetwork(text), { network: wanted }, text);
  }
});

Deno.test("canonicalNetwork() refuses all other strings", () => {
  const rows = [
    "",
    "/8",
    "10.0.0.0/",
    "10.0.0.0/33",
    "10.0.0.0/-1",
    "10.0.0.0/08",
    "10.0.0.0/8/8",
    "10.0.0",
    "010.0.0.1",
    "0x7f.0.0.1",
    "2130706433",
    "256.0.0.1",
    "::/129",
    "fe80::1%eth0",
    "1::2::3",
    "localhost",
    " 10.0.0.1",
  ];
  for (const text of rows) assert.ok("problem" in canonicalNetwork(text), JSON.stringify(text));
});

Deno.test("canonicalNetwork() keeps the addresses that the edge matches, and is idempotent", () => {
  const network = fc.oneof(
    fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 })),
    fc.tuple(fc.ipV6(), fc.integer({ min: 0, max: 128 })),
    fc.tuple(fc.ipV4().map((ip) => `::ffff:${ip}`), fc.integer({ min: 0, max: 128 })),
  ).map(([address, bits]) => `${address}/${bits}`);
  fc.assert(fc.property(network, (text) => {
    const once = networkOrSame(text);
    assert.equal(networkOrSame(once), once);
    assert.deepEqual(parseCidr(once), parseCidr(text));
  }));
});
