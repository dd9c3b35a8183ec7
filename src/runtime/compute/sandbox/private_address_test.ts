import assert from "node:assert/strict";
import fc from "fast-check";
import { isPublicAddress } from "../../outbound/address_rules.ts";
import { addressBytes, isPublic } from "./private_address.ts";

Deno.test("addressBytes() reads addresses, and nothing else", () => {
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

Deno.test("isPublic() agrees with the guard of outbound requests", () => {
  fc.assert(fc.property(fc.oneof(fc.ipV4(), fc.constant("192.168.1.1")), (text) => {
    assert.equal(isPublic(addressBytes(text)!), isPublicAddress(text));
  }));
  const groups = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 7, maxLength: 7 });
  const heads = fc.constantFrom(0, 0x2001, 0x2002, 0x2a00, 0x3fff, 0x5f00, 0xfc00, 0xfe80, 0xff02);
  fc.assert(fc.property(heads, groups, (head, rest) => {
    const text = [head, ...rest].map((group) => group.toString(16)).join(":");
    assert.equal(isPublic(addressBytes(text)!), isPublicAddress(text), text);
  }));
});
