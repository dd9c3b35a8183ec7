import assert from "node:assert/strict";
import fc from "fast-check";
import { canonicalAuthority, canonicalHost, splitUrl } from "./host.ts";

const targets: Readonly<Record<string, readonly [authority: string, path: string, query: string]>> =
  {
    "http://a.test": ["a.test", "/", ""],
    "http://a.test/": ["a.test", "/", ""],
    "https://a.test/x/y?q=1": ["a.test", "/x/y", "q=1"],
    "http://a.test:8787/x": ["a.test:8787", "/x", ""],
    "http://a.test?q=/x": ["a.test", "/", "q=/x"],
    "http://a.test/x?": ["a.test", "/x", ""],
    "http://a.test/x?a?b": ["a.test", "/x", "a?b"],
    "http://a.test/x#f?q": ["a.test", "/x", ""],
    "http://a.test/x?q#f": ["a.test", "/x", "q"],
    "http://a.test#/x": ["a.test", "/", ""],
    "http://a.test//b.test/../x": ["a.test", "//b.test/../x", ""],
    "http://[::1]:80/x": ["[::1]:80", "/x", ""],
  };

for (const [url, [authority, path, query]] of Object.entries(targets)) {
  Deno.test(`splitUrl() splits ${url}`, () => {
    const target = splitUrl(url);
    assert.deepEqual([target.authority, target.path, target.query], [authority, path, query]);
  });
}

/** The parts of the URL grammar that this test needs (RFC 3986, appendix B). */
const PARTS = /^[a-z]+:\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?/;

Deno.test("splitUrl() does not depend on earlier URLs", () => {
  const part = fc.constantFrom("/", "//", "?", "#", ":80", "a.test", "a.tes", "b", "?q=1", "/x");
  const url = fc.array(part, { maxLength: 5 }).map((parts) => `http://a.test${parts.join("")}`);
  fc.assert(fc.property(fc.array(url, { maxLength: 6 }), (urls) => {
    for (const url of urls) {
      const [, authority, path, query = ""] = PARTS.exec(url)!;
      assert.deepEqual(splitUrl(url), { authority, path: path || "/", query }, url);
    }
  }));
});

const hosts: Readonly<Record<string, string | undefined>> = {
  "a.test": "a.test",
  "A.Test": "a.test",
  "a.test.": "a.test",
  "a.test:8787": "a.test",
  "a.test.:80": "a.test",
  "a_b.test": "a_b.test",
  "bücher.test": "xn--bcher-kva.test",
  "127.0.0.1:80": "127.0.0.1",
  "[::1]:80": "[::1]",
  "": undefined,
  ".": undefined,
  "a..test": undefined,
  "user@a.test": undefined,
  "a.test/x": undefined,
  "a.test\\x": undefined,
  "a.test?x": undefined,
  "a.test#x": undefined,
  "a test": undefined,
  "a.test:999999": undefined,
  "{a}.test": undefined,
  "a.test:80:80": undefined,
  "a%2etest": undefined,
  "a.test\0": undefined,
  "<a>.test": undefined,
};

for (const [authority, expected] of Object.entries(hosts)) {
  Deno.test(`canonicalHost() returns ${expected ?? "nothing"} for ${JSON.stringify(authority)}`, () => {
    assert.equal(canonicalHost(authority), expected);
  });
}

Deno.test("canonicalHost() returns the same form for every spelling", () => {
  fc.assert(fc.property(fc.oneof(fc.string(), fc.domain()), (text) => {
    const host = canonicalHost(text);
    if (host === undefined) return;
    assert.equal(canonicalHost(host), host);
    assert.match(host, /^(?:[a-z0-9_.-]+|\[[0-9a-f:.]+\])$/);
  }));
});

const authorities: Readonly<Record<string, string>> = {
  "shop.example.com": "shop.example.com",
  "SHOP.example.com": "shop.example.com",
  "Shop.Example.Com.": "shop.example.com",
  "SHOP.example.com:8443": "shop.example.com:8443",
  "[2001:DB8::1]:80": "[2001:db8::1]:80",
  "a test": "a test",
};

for (const [authority, expected] of Object.entries(authorities)) {
  Deno.test(`canonicalAuthority() returns ${expected} for ${JSON.stringify(authority)}`, () => {
    assert.equal(canonicalAuthority(authority), expected);
  });
}
