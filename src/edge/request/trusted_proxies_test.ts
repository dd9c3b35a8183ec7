import assert from "node:assert/strict";
import fc from "fast-check";
import { type ForwardedHeader, TrustedProxies } from "./trusted_proxies.ts";

const CIDRS = ["10.0.0.0/8", "2001:db8:ffff::/48", "127.0.0.1"];

function client(header: ForwardedHeader, value: string | null, socket = "10.0.0.1"): string {
  const proxies = new TrustedProxies(CIDRS, header);
  return proxies.clientAddress(socket, { header: (name) => name === header ? value : null });
}

const forwardedFor: readonly (readonly [name: string, value: string | null, client: string])[] = [
  ["no header", null, "10.0.0.1"],
  ["one address", "198.51.100.7", "198.51.100.7"],
  ["a spoofed address on the left is ignored", "1.1.1.1, 198.51.100.7", "198.51.100.7"],
  ["trusted hops on the right are skipped", "198.51.100.7, 10.2.0.1, 10.3.0.1", "198.51.100.7"],
  ["a spoofed trusted address", "10.9.9.9, 198.51.100.7, 10.3.0.1", "198.51.100.7"],
  ["the farthest hop if all hops are trusted", "10.5.0.1, 10.3.0.1", "10.5.0.1"],
  ["IPv6", "2001:db8::7", "2001:db8::7"],
  ["IPv6 in brackets with port", "[2001:db8::7]:4711", "2001:db8::7"],
  ["IPv4 with port", "198.51.100.7:4711", "198.51.100.7"],
  ["mapped trusted hop", "198.51.100.7, ::ffff:10.3.0.1", "198.51.100.7"],
  ["garbage ends the search", "198.51.100.7, unknown, 10.3.0.1", "10.3.0.1"],
  ["only garbage", "not an address", "10.0.0.1"],
  ["empty", "", "10.0.0.1"],
  ["octal parts are not an address", "0300.1.1.1", "10.0.0.1"],
  ["no spaces", "1.1.1.1,198.51.100.7,10.3.0.1", "198.51.100.7"],
];

for (const [name, value, expected] of forwardedFor) {
  Deno.test(`TrustedProxies.clientAddress() reads X-Forwarded-For: ${name}`, () => {
    assert.equal(client("x-forwarded-for", value), expected);
  });
}

const forwarded: readonly (readonly [name: string, value: string | null, client: string])[] = [
  ["one element", "for=198.51.100.7", "198.51.100.7"],
  ["other parameters in the element", "proto=https;For=198.51.100.7;by=10.0.0.1", "198.51.100.7"],
  ["quoted IPv6 with port", 'for="[2001:db8::7]:4711"', "2001:db8::7"],
  ["chain", "for=1.1.1.1, for=198.51.100.7;proto=http, for=10.3.0.1", "198.51.100.7"],
  ["obfuscated", "for=198.51.100.7, for=_hidden", "10.0.0.1"],
  ["unknown", "for=unknown", "10.0.0.1"],
  ["no `for` parameter", "proto=https", "10.0.0.1"],
];

for (const [name, value, expected] of forwarded) {
  Deno.test(`TrustedProxies.clientAddress() reads Forwarded: ${name}`, () => {
    assert.equal(client("forwarded", value), expected);
  });
}

Deno.test("TrustedProxies.clientAddress() reads only the configured header", () => {
  const proxies = new TrustedProxies(CIDRS, "x-forwarded-for");
  const header = (name: string) => name === "forwarded" ? "for=1.1.1.1" : "198.51.100.7";
  assert.equal(proxies.clientAddress("10.0.0.1", { header }), "198.51.100.7");
});

Deno.test("TrustedProxies.trusts() matches addresses and blocks, including mapped ones", () => {
  const proxies = new TrustedProxies(CIDRS);
  for (const address of ["10.255.0.1", "::ffff:10.0.0.1", "2001:db8:ffff::1", "127.0.0.1"]) {
    assert.ok(proxies.trusts(address), address);
  }
  for (const address of ["11.0.0.1", "2001:db8::1", "127.0.0.2", "", "x"]) {
    assert.ok(!proxies.trusts(address), address);
  }
});

Deno.test("TrustedProxies refuses an entry that is not an address or CIDR", () => {
  assert.throws(() => new TrustedProxies(["10.0.0.0/8", "ten"]), /"ten"/);
});

Deno.test("TrustedProxies.clientAddress() does not depend on the client's fields", () => {
  fc.assert(fc.property(fc.string(), (spoofed) => {
    const chain = `${spoofed.replaceAll(",", ";")}, 198.51.100.7, 10.3.0.1`;
    assert.equal(client("x-forwarded-for", chain), "198.51.100.7");
  }));
});
