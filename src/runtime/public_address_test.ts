import assert from "node:assert/strict";
import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { addressBytes, isPublic } from "./public_address.ts";

Deno.test("addressBytes() reads addresses and nothing else", () => {
  const rows: readonly (readonly [string, string | undefined])[] = [
    ["127.0.0.1", "127,0,0,1"],
    ["256.0.0.1", undefined],
    ["1.2.3", undefined],
    ["::1", "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1"],
    ["2001:db8::a:0", "32,1,13,184,0,0,0,0,0,0,0,0,0,10,0,0"],
    ["1:2:3:4:5:6:7:8", "0,1,0,2,0,3,0,4,0,5,0,6,0,7,0,8"],
    ["1::2::3", undefined],
    ["1:2:3", undefined],
    ["fe80::1%eth0", undefined],
    ["example.com", undefined],
  ];
  for (const [text, expected] of rows) assert.equal(addressBytes(text)?.join(), expected, text);
});

Deno.test("isPublic() rejects everything that ipaddr.js classifies as special", () => {
  const judge = (text: string): void => {
    const bytes = addressBytes(text)!;
    assert.deepEqual([...bytes], ipaddr.parse(text).toByteArray(), text);
    if (ipaddr.parse(text).range() !== "unicast") assert.equal(isPublic(bytes), false, text);
  };
  const special = [
    "10.1.2.3",
    "127.0.0.1",
    "169.254.1.1",
    "192.88.99.1",
    "198.18.0.1",
    "240.0.0.1",
  ];
  fc.assert(fc.property(fc.oneof(fc.ipV4(), fc.constantFrom(...special)), judge));
  const groups = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 6, maxLength: 6 });
  const heads = fc.constantFrom(
    "0:0",
    "64:ff9b",
    "2001:0",
    "2001:db8",
    "2002:0",
    "2620:4f",
    "3fff:0",
    "fc00:0",
    "fe80:0",
  );
  fc.assert(fc.property(heads, groups, (head, rest) => {
    judge([head, ...rest.map((group) => group.toString(16))].join(":"));
  }));
  judge("2620:4f:8000::1");
});

Deno.test("isPublic() accepts the public internet", () => {
  const open = ["1.1.1.1", "8.8.8.8", "172.32.0.1", "192.0.1.1", "223.255.255.255", "2606:4700::1"];
  for (const text of open) assert.equal(isPublic(addressBytes(text)!), true, text);
  const closed = [
    "0.0.0.0",
    "100.64.0.1",
    "172.31.255.255",
    "::1",
    "::ffff:808:808",
    "2001:db8::1",
  ];
  for (const text of closed) assert.equal(isPublic(addressBytes(text)!), false, text);
});
