import assert from "node:assert/strict";
import fc from "fast-check";
import { RE2JS } from "re2js";
import { judgeWithRe2 } from "./_re2_wasm.ts";
import { judgePattern, PLAIN_PATTERN } from "./judge_pattern.ts";
import { describeUnsupported } from "./unsupported.ts";

const GOOD = [
  "^/.*$",
  "^/(?:a|b)+?/[^/]+$",
  "^/(?P<lang>en|de)/",
  "^/(?<lang>en|de)/",
  "(?i)\\.(?:png|jpe?g)$",
  "^/[(?=!]x",
  "^/\\(?=x",
  "^/[\\]*+?]+$",
  "^/\\Q(?!a++)\\E$",
  "^/\\\\1$",
  "^/a{2,3}?$",
  "^/x\\+\\+$",
  "^/é",
];

Deno.test("judgePattern() accepts RE2 syntax", () => {
  for (const pattern of GOOD) assert.deepEqual(judgePattern(pattern).messages, [], pattern);
});

const UNSUPPORTED: readonly (readonly [string, string])[] = [
  ["^/(?=a)", "Lookahead"],
  ["^/(?!a)", "Lookahead"],
  ["(?<=a)b", "Lookbehind"],
  ["(?<!a)b", "Lookbehind"],
  ["(a)\\1", "Backreference"],
  ["(?<n>a)\\k<n>", "Backreference"],
  ["(?P<n>a)(?P=n)", "Backreference"],
  ["(?>a)", "Atomic group"],
  ["a++", "Possessive quantifier"],
  ["[a]*+", "Possessive quantifier"],
  ["a{2,}+", "Possessive quantifier"],
];

Deno.test("judgePattern() shows how two routes replace backtracking", () => {
  for (const [pattern, feature] of UNSUPPORTED) {
    const [message] = judgePattern(pattern).messages;
    assert.ok(message?.startsWith(feature), `${pattern}: ${message}`);
    assert.match(message ?? "", /two routes/);
    assert.match(message ?? "", /"priority": 1/);
    assert.notEqual(judgeWithRe2(pattern), undefined, pattern);
  }
});

/** Returns the patterns that a message suggests, by priority. */
function proposalsOf(pattern: string): Map<number, RegExp> {
  const [message = ""] = describeUnsupported(pattern);
  const routes = [...message.matchAll(/\{ "pattern": ("(?:[^"\\]|\\.)*"), "priority": (\d) \}/g)];
  return new Map(routes.map(([, text, priority]) => {
    const proposed = JSON.parse(text ?? "") as string;
    assert.deepEqual(judgePattern(proposed).messages, []);
    return [Number(priority), new RegExp(proposed)];
  }));
}

Deno.test("judgePattern() suggests routes that match the same paths as a negative lookaround", () => {
  const paths = ["/api/x", "/api", "/blog", "/a.json", "/a.jsonx", "/", "/b/a.json", "/json"];
  for (const pattern of ["^/(?!api/)(.*)$", "^/.*(?<!\\.json)$"]) {
    const routes = proposalsOf(pattern);
    for (const path of paths) {
      const kept = !routes.get(1)?.test(path) && routes.get(0)?.test(path) === true;
      assert.equal(kept, new RegExp(pattern).test(path), `${pattern} ${path}`);
    }
  }
});

Deno.test("judgePattern() refuses patterns that compile to very large programs", () => {
  for (
    const pattern of [
      "(a{1000}){1000}",
      "\\pL{1000}",
      "(\\pL+){1,900}",
      "((a{99}){10}b{99}){9}",
      "\\pL|".repeat(100),
    ]
  ) {
    assert.equal(judgePattern(pattern).messages.length, 1, pattern);
  }
});

Deno.test("judgePattern() refuses a lone surrogate", () => {
  assert.match(judgePattern("^/\ud83d").messages[0] ?? "", /surrogate/);
});

Deno.test("judgePattern() accepts only patterns that both engines accept", () => {
  for (const pattern of ["\\C", "\\u0041", "(?x)a", "[a", "a**", "(?<n>a)(?<n>b)"]) {
    assert.equal(judgePattern(pattern).messages.length, 1, pattern);
  }
  assert.equal(judgeWithRe2("\\C"), undefined);
  assert.throws(() => RE2JS.compile("\\C"));
});

Deno.test("judgeWithRe2() frees compiled patterns", () => {
  for (let round = 0; round < 400; round++) {
    assert.equal(judgeWithRe2(`^/(?:[a-z]{40}){20}${round}$`), undefined);
  }
});

Deno.test("judgeWithRe2() accepts patterns again after running out of memory", () => {
  assert.equal(judgeWithRe2("\\pL{1000}"), "pattern too large");
  assert.equal(judgeWithRe2("\\pL{20}"), undefined);
});

Deno.test("judgePattern() skips RE2 only for patterns that RE2 accepts", () => {
  const pieces = ["a", "Z", "0", "/", "_", "-", "\\.", ".*", "[^/]+"];
  const plain = fc.array(fc.constantFrom(...pieces), { maxLength: 30 });
  fc.assert(fc.property(plain, fc.constantFrom("", "$"), (parts, end) => {
    const pattern = `^${parts.join("")}${end}`;
    assert.ok(PLAIN_PATTERN.test(pattern), pattern);
    assert.equal(judgeWithRe2(pattern), undefined, pattern);
    assert.deepEqual(judgePattern(pattern).messages, [], pattern);
  }));
});

Deno.test("judgePattern() uses RE2 to check every pattern that is not plain", () => {
  for (
    const pattern of ["^/.", "^/a*", "^/.**", "^/[^/]*", "^/a$b", "/a", "^/\\x", "^/(.*)", "^/é"]
  ) {
    assert.ok(!PLAIN_PATTERN.test(pattern), pattern);
  }
});
