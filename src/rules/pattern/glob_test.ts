import assert from "node:assert/strict";
import fc from "fast-check";
import { captureNames, literalPrefix, MAX_GLOB_LENGTH, parseGlob } from "./glob.ts";
import type { GlobToken } from "../rule_set/types.ts";

function tokensOf(glob: string): readonly GlobToken[] {
  const parsed = parseGlob(glob);
  assert.ok("tokens" in parsed, JSON.stringify(parsed));
  return parsed.tokens;
}

Deno.test("parseGlob() reads every kind of token", () => {
  assert.deepEqual(tokensOf("/a/{id}/*.js/**/?/{rest...}"), [
    { type: "text", text: "/a/" },
    { type: "capture", name: "id" },
    { type: "text", text: "/" },
    { type: "any" },
    { type: "text", text: ".js/" },
    { type: "deep" },
    { type: "text", text: "/" },
    { type: "one" },
    { type: "text", text: "/" },
    { type: "splat", name: "rest" },
  ]);
});

Deno.test("parseGlob() reads an escaped character as literal text in the alphabet of paths", () => {
  assert.deepEqual(tokensOf("/\\*\\{a\\}\\\\é %41"), [
    { type: "text", text: "/*%7Ba%7D%5C%C3%A9%20A" },
  ]);
  assert.deepEqual(tokensOf("/\\%41"), [{ type: "text", text: "/%2541" }]);
});

const BAD: readonly [glob: string, offset: number, message: RegExp][] = [
  ["/a{x}", 2, /full path segment/],
  ["/{x}b", 1, /full path segment/],
  ["{x}", 0, /full path segment/],
  ["/*{x}", 2, /full path segment/],
  ["/{x}/{x}", 5, /once/],
  ["/{x}/{x...}", 5, /once/],
  ["/{a...}/b", 1, /end of the glob/],
  ["/{a...}/{b...}", 1, /end of the glob/],
  ["/{a...}/{b...}", 8, /at most one splat/],
  ["/{}", 1, /Name the capture/],
  ["/{a b}", 1, /Name the capture/],
  ["/{a.}", 1, /Name the capture/],
  ["/{__proto__é}", 1, /Name the capture/],
  ["/{a", 1, /Close/],
  ["/a}", 2, /Open/],
  ["/a\\", 2, /after the final/],
  [`/${"a".repeat(MAX_GLOB_LENGTH)}`, MAX_GLOB_LENGTH, /at most 1024/],
];

Deno.test("parseGlob() reports problems and their positions", async (t) => {
  for (const [glob, offset, message] of BAD) {
    await t.step(glob.slice(0, 40), () => {
      const parsed = parseGlob(glob);
      assert.ok("problems" in parsed);
      const found = parsed.problems.find((problem) => problem.offset === offset);
      assert.match(found?.message ?? "", message);
    });
  }
});

Deno.test("parseGlob() reports all problems in one pass", () => {
  const parsed = parseGlob("/a{x}/{x}/}/{y");
  assert.ok("problems" in parsed);
  assert.deepEqual(parsed.problems.map(({ offset }) => offset), [2, 6, 10, 12]);
});

Deno.test("parseGlob() never throws", () => {
  const piece = fc.constantFrom("*", "**", "?", "{", "}", "\\", "/", "a", "...", "é", "%");
  const text = fc.oneof(fc.string(), fc.array(piece).map((parts) => parts.join("")));
  fc.assert(fc.property(text, (glob) => {
    const parsed = parseGlob(glob);
    assert.ok("tokens" in parsed || parsed.problems.length > 0);
  }));
});

Deno.test("literalPrefix() and captureNames() return a glob's fixed start and its captures", () => {
  assert.equal(literalPrefix(tokensOf("/a/b*")), "/a/b");
  assert.equal(literalPrefix(tokensOf("**/a")), "");
  assert.deepEqual(captureNames(tokensOf("/{a}/{b}/{c...}")), ["a", "b", "c"]);
});
