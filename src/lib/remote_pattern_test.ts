import assert from "node:assert/strict";
import { matchesPathGlob, matchesRemote, parseRemotePattern } from "./remote_pattern.ts";

const allows = (pattern: string, url: string): boolean =>
  matchesRemote(parseRemotePattern(pattern)!, new URL(url));

Deno.test("matchesRemote() compares scheme, host, port and path", () => {
  const rows: readonly (readonly [string, string, boolean])[] = [
    ["cdn.example.com", "https://cdn.example.com/a/b.jpg?x=1", true],
    ["cdn.example.com", "http://cdn.example.com/a.jpg", false],
    ["http://cdn.example.com", "http://cdn.example.com/a.jpg", true],
    ["https://cdn.example.com:443", "https://cdn.example.com/a.jpg", true],
    ["https://cdn.example.com", "https://cdn.example.com:8443/a.jpg", false],
    ["https://cdn.example.com:8443", "https://cdn.example.com:8443/a.jpg", true],
    ["https://cdn.example.com/photos/**", "https://cdn.example.com/photos/a/b.jpg", true],
    ["https://cdn.example.com/photos/**", "https://cdn.example.com/other/a.jpg", false],
    ["https://cdn.example.com/photos/*", "https://cdn.example.com/photos/a/b.jpg", false],
    ["https://cdn.example.com/photos/*.jpg", "https://cdn.example.com/photos/a.jpg", true],
    ["https://*.example.com", "https://cdn.example.com/a", true],
    ["https://*.example.com", "https://a.b.example.com/a", false],
    ["https://*.example.com", "https://example.com/a", false],
    ["https://**.example.com", "https://a.b.example.com/a", true],
    ["https://**.example.com", "https://example.com/a", false],
    ["https://example.com", "https://example.com.evil.test/a", false],
    ["https://example.com", "https://evil-example.com/a", false],
    ["https://EXAMPLE.com", "https://example.COM/a", true],
  ];
  for (const [pattern, url, expected] of rows) {
    assert.equal(allows(pattern, url), expected, `${pattern} and ${url}`);
  }
});

Deno.test("parseRemotePattern() refuses invalid patterns, and patterns that are too broad", () => {
  const refused = [
    "",
    "*",
    "**",
    "https://*",
    "https://a.*.com",
    "https://a*.example.com",
    "ftp://example.com",
    "https://user@example.com",
    "https://example.com:99999",
    "https://example.com/?a=b",
    "https://example.com/a b",
    "https://-example.com",
    "https://example.com/*/*/*/*/*/*/*/*/*",
    `https://example.com/${"a".repeat(500)}`,
  ];
  for (const text of refused) assert.equal(parseRemotePattern(text), undefined, text);
});

Deno.test("matchesPathGlob() takes bounded time for nested wildcards", () => {
  assert.equal(matchesPathGlob("/**a**a**a**a**a**a**b", `/${"a".repeat(8000)}`), false);
});
