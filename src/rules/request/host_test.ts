import assert from "node:assert/strict";
import fc from "fast-check";
import { canonicalHost, hostOrSame, splitAuthority } from "./host.ts";

Deno.test("canonicalHost() returns the same spelling for equivalent hosts", () => {
  const rows: readonly (readonly [name: string, host: string, wanted: string])[] = [
    ["ASCII", "Example.COM", "example.com"],
    ["trailing dot", "example.com.", "example.com"],
    ["Unicode", "Bücher.Example", "xn--bcher-kva.example"],
    ["Unicode, decomposed", "bu\u0308cher.example", "xn--bcher-kva.example"],
    ["sharp s", "straße.de", "xn--strae-oqa.de"],
    ["ideographic full stop", "例え。jp", "xn--r8jz45g.jp"],
    ["full-width letters", "ｅｘ.com", "ex.com"],
    ["punycode", "xn--bcher-kva.example", "xn--bcher-kva.example"],
    ["underscore", "_dmarc.example", "_dmarc.example"],
    ["IPv4", "127.1", "127.0.0.1"],
    ["IPv6", "[2001:DB8::1]", "[2001:db8::1]"],
  ];
  for (const [name, host, wanted] of rows) {
    assert.deepEqual(canonicalHost(host), { host: wanted }, name);
  }
});

Deno.test("canonicalHost() refuses incomplete hosts and hosts with extra parts", () => {
  const rows = [
    "https://example.com",
    "//example.com",
    "example.com:80",
    "[::1]:80",
    "a@b",
    "a/b",
    "a\\b",
    "a?b",
    "a#b",
    "*.example.com",
    "a b",
    "a\tb",
    "a\nb",
    "%65xample.com",
    "a..b",
    ".a",
    ".",
    "",
    "xn--a",
    "a\u2044b\uFF0Fc",
    "[::1",
    `${"a".repeat(64)}.com`,
    `${"a.".repeat(127)}com`,
    "256.1.1.1",
  ];
  for (const host of rows) assert.ok("problem" in canonicalHost(host), JSON.stringify(host));
});

Deno.test("canonicalHost() is idempotent, and allows no separators", () => {
  fc.assert(
    fc.property(fc.oneof(fc.domain(), fc.string({ unit: "binary", maxLength: 12 })), (text) => {
      const once = hostOrSame(text);
      assert.equal(hostOrSame(once), once);
      const result = canonicalHost(text);
      if ("host" in result) assert.match(result.host, /^[^/?#@\\\s%*:]+$|^\[[0-9a-f:.]+\]$/);
    }),
  );
});

Deno.test("splitAuthority() splits off a port", () => {
  assert.deepEqual(splitAuthority("a.example"), { host: "a.example" });
  assert.deepEqual(splitAuthority("a.example:80"), { host: "a.example", port: "80" });
  assert.deepEqual(splitAuthority("[::1]"), { host: "[::1]" });
  assert.deepEqual(splitAuthority("[::1]:80"), { host: "[::1]", port: "80" });
});
