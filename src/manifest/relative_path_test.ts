import assert from "node:assert/strict";
import { posix } from "node:path";
import fc from "fast-check";
import { parseRelativePath } from "./relative_path.ts";

const GOOD: readonly (readonly [string, string])[] = [
  [".", "."],
  ["./", "."],
  ["client", "client"],
  ["./a//b/./c/", "a/b/c"],
  ["...", "..."],
  ["a..b/..c", "a..b/..c"],
  ["ünï côde", "ünï côde"],
];

Deno.test("parseRelativePath() normalizes paths that stay inside", () => {
  for (const [text, path] of GOOD) assert.deepEqual(parseRelativePath(text), { ok: true, path });
});

const BAD = [
  "..",
  "a/../b",
  "/",
  "/etc",
  "//host",
  "C:",
  "c:/x",
  "C:x",
  "./C:",
  "a\\b",
  "a\0",
  "\n",
  "\ud800",
];

Deno.test("parseRelativePath() refuses paths that lead or might lead outside", () => {
  for (const text of BAD) assert.equal(parseRelativePath(text).ok, false, JSON.stringify(text));
});

Deno.test("parseRelativePath() refuses paths that resolve outside", () => {
  const step = fc.constantFrom(
    "..",
    ".",
    "",
    "a",
    "b c",
    "C:",
    "\\",
    "..\\..",
    "/",
    "\0",
    "%2e%2e",
  );
  fc.assert(fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
    const result = parseRelativePath(steps.join("/"));
    if (!result.ok) return;
    const resolved = posix.resolve("/output", result.path);
    assert.ok(resolved === "/output" || resolved.startsWith("/output/"), resolved);
    assert.deepEqual(parseRelativePath(result.path), result);
  }));
});
