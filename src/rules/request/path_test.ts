import assert from "node:assert/strict";
import fc from "fast-check";
import { canonicalPathText, normalizePath, resolveSegments } from "./path.ts";

const ROWS: readonly [raw: string, normal: string][] = [
  ["/", "/"],
  ["", "/"],
  ["/a/b", "/a/b"],
  ["/a/b/", "/a/b/"],
  ["//a///b", "/a/b"],
  ["/a/./b", "/a/b"],
  ["/a/../b", "/b"],
  ["/../../a", "/a"],
  ["/a/b/..", "/a/"],
  ["/a/.", "/a/"],
  ["/%2e%2E/a", "/a"],
  ["/a/%2e/b", "/a/b"],
  ["/.well-known/x", "/.well-known/x"],
  ["/..a/b..", "/..a/b.."],
  ["/%61%7e", "/a~"],
  ["/%40internal", "/@internal"],
  ["/a%2fb", "/a%2Fb"],
  ["/a%5cb", "/a%5Cb"],
  ["/a\\b", "/a/b"],
  ["/a\\..\\b", "/b"],
  ["/%2561", "/%2561"],
  ["/%25%36%31", "/%2561"],
  ["/é", "/%C3%A9"],
  ["/%c3%a9", "/%C3%A9"],
  ["/a b", "/a%20b"],
  ["/a;b=1", "/a;b=1"],
  ["/a\n", "/a%0A"],
  ["/\ud800", "/%EF%BF%BD"],
  ["a", "/a"],
];

Deno.test("normalizePath() returns the same spelling for equivalent paths", async (t) => {
  for (const [raw, normal] of ROWS) {
    await t.step(JSON.stringify(raw), () => assert.equal(normalizePath(raw), normal));
  }
});

Deno.test("normalizePath() rejects invalid and ambiguous paths", () => {
  for (const raw of ["/%", "/%4", "/%zz", "/a%2"]) {
    assert.deepEqual(normalizePath(raw), { rejected: "bad_escape" }, raw);
  }
  for (const raw of ["/a%00", "/%00.html", "/\0"]) {
    assert.deepEqual(normalizePath(raw), { rejected: "encoded_nul" }, raw);
  }
});

const rough = fc.array(
  fc.constantFrom(
    "/",
    ".",
    "..",
    "a",
    "%2e",
    "%2F",
    "%5C",
    "\\",
    "%25",
    "é",
    "%C3",
    " ",
    "%41",
    ";",
  ),
).map((parts) => parts.join(""));

Deno.test("normalizePath() is idempotent", () => {
  fc.assert(fc.property(fc.oneof(rough, fc.string(), fc.webPath()), (raw) => {
    const normal = normalizePath(raw);
    fc.pre(typeof normal === "string");
    assert.equal(normalizePath(normal), normal);
    assert.match(normal, /^\//);
    assert.doesNotMatch(normal, /\/\/|\/\.{1,2}(\/|$)|[^\x21-\x7e]|\\/);
  }));
});

Deno.test("normalizePath() takes time linear in the length of the path", () => {
  // These texts are so long that an algorithm with quadratic cost would take far too long.
  for (const part of ["/", "/a", "/..", "%2e/", "\\", "é"]) normalizePath(part.repeat(1_000_000));
});

Deno.test("canonicalPathText() is idempotent", () => {
  fc.assert(fc.property(fc.oneof(rough, fc.string()), (text) => {
    const canonical = canonicalPathText(text);
    assert.equal(canonicalPathText(canonical), canonical);
  }));
});

Deno.test("resolveSegments() always begins with a slash", () => {
  assert.equal(resolveSegments(""), "/");
  assert.equal(resolveSegments("a/../.."), "/");
});
