import assert from "node:assert/strict";
import fc from "fast-check";
import { join, normalize } from "node:path/posix";
import { isHost, isInsidePath, normalizeInsidePath } from "./field_rules.ts";

const HOSTS = {
  good: ["localhost", "0.0.0.0", "127.0.0.1", "::", "::1", "dev.example.com", "My-Host"],
  bad: [
    "http://x",
    "x:80",
    "[::1]",
    "256.1.1.1",
    "127.1",
    "a b",
    "a/b",
    "u@h",
    "",
    "::1%eth0",
    ":::",
  ],
};

for (const host of HOSTS.good) {
  Deno.test(`isHost() accepts ${JSON.stringify(host)}`, () => assert.equal(isHost(host), true));
}
for (const host of HOSTS.bad) {
  Deno.test(`isHost() refuses ${JSON.stringify(host)}`, () => assert.equal(isHost(host), false));
}

const PATHS = {
  good: ["dist", "./dist/", ".", "a/../b", ".output/public", "a..b", "..."],
  bad: ["", "..", "../a", "a/../../b", "/a", "~/a", "C:/a", "c:a", "a\\b", "a\0b"],
};

for (const path of PATHS.good) {
  Deno.test(`isInsidePath() accepts ${JSON.stringify(path)}`, () =>
    assert.equal(isInsidePath(path), true));
}
for (const path of PATHS.bad) {
  Deno.test(`isInsidePath() refuses ${JSON.stringify(path)}`, () =>
    assert.equal(isInsidePath(path), false));
}

const paths = fc.array(fc.constantFrom("a", "b", ".", "..", "", "...")).map((parts) =>
  parts.join("/")
);

Deno.test("isInsidePath() refuses paths that lead outside, and normalizing keeps a path's target", () => {
  fc.assert(fc.property(paths, (path) => {
    if (!isInsidePath(path)) return;
    const target = normalize(join("/project", path)).replace(/(.)\/$/, "$1");
    assert.ok(target === "/project" || target.startsWith("/project/"), target);
    const normalized = normalizeInsidePath(path);
    assert.equal(join("/project", normalized), target);
    assert.equal(normalizeInsidePath(normalized), normalized);
  }));
});
