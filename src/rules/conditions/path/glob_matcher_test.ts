import assert from "node:assert/strict";
import fc from "fast-check";
import { matchGlobPlainly } from "../../../../tests/rules/oracle_glob.ts";
import { MAX_GLOB_LENGTH, parseGlob } from "../../pattern/glob.ts";
import { normalizePath } from "../../request/path.ts";
import { GlobMatcher } from "./glob_matcher.ts";

function compile(glob: string): GlobMatcher {
  const parsed = parseGlob(glob);
  assert.ok("tokens" in parsed, JSON.stringify(parsed));
  return new GlobMatcher(parsed.tokens);
}

const ROWS: readonly [glob: string, path: string, captures: readonly string[] | undefined][] = [
  ["/a", "/a", []],
  ["/a", "/ab", undefined],
  ["/a", "/", undefined],
  ["/*", "/", []],
  ["/*", "/a", []],
  ["/*", "/a/b", undefined],
  ["/a*c", "/abc", []],
  ["/a*c", "/ac", []],
  ["/a*c", "/a/c", undefined],
  ["/**", "/", []],
  ["/**", "/a/b/c", []],
  ["/a/**", "/a", undefined],
  ["/a/**", "/a/", []],
  ["/a/**/b", "/a/b", []],
  ["/a/**/b", "/a/x/y/b", []],
  ["/a/**/b", "/ab", undefined],
  ["/a/**/b", "/a/xb", undefined],
  ["/a**b", "/ab", []],
  ["/a**b", "/a/x/b", []],
  ["**/x", "/x", []],
  ["**/x", "/a/x", []],
  ["/**/*.js", "/app.js", []],
  ["/**/*.js", "/a/b/app.js", []],
  ["/**/*.js", "/a/b/app.ts", undefined],
  ["/**/**/x", "/x", []],
  ["/?", "/a", []],
  ["/?", "/", undefined],
  ["/a?b", "/a/b", undefined],
  ["/?", "/%C3%A9", []],
  ["/??", "/%C3%A9", undefined],
  ["/?", "/%F0%9F%98%80", []],
  ["/?", "/%2F", []],
  ["/?", "/%FF", []],
  ["/é", "/%C3%A9", []],
  ["/a b", "/a%20b", []],
  ["/a/b", "/a%2Fb", undefined],
  ["/*", "/a%2Fb", []],
  ["/\\*", "/*", []],
  ["/\\*", "/a", undefined],
  ["/\\{a\\}", "/%7Ba%7D", []],
  ["/{a}", "/x", ["x"]],
  ["/{a}", "/", undefined],
  ["/{a}", "/x/", undefined],
  ["/{a}/", "/x/", ["x"]],
  ["/{a}/{b}", "/x/y%20z", ["x", "y%20z"]],
  ["/{a...}", "/", [""]],
  ["/{a...}", "/x/y/", ["x/y/"]],
  ["/a/{r...}", "/a/", [""]],
  ["/a/{r...}", "/a", undefined],
  ["/{a}/b/{r...}", "/x/b/c/d", ["x", "c/d"]],
  ["/**/{a}", "/x/y/z", ["z"]],
  ["/**/{a}/k/{r...}", "/x/k/y/k/z", ["x", "y/k/z"]],
  ["/*/{a}/*", "/%C3%A9/b%C3%A9/c", ["b%C3%A9"]],
];

Deno.test("GlobMatcher matches and captures as the glob specifies", async (t) => {
  for (const [glob, path, captures] of ROWS) {
    await t.step(`${glob} on ${path}`, () => {
      const matcher = compile(glob);
      assert.deepEqual(matcher.capture(path), captures);
      assert.equal(matcher.matches(path), captures !== undefined);
    });
  }
});

const WILD = ["*", "**", "?", "/**/", "/*/", "/{x}/", "/{y}/"];
const LITERAL = ["a", "b", "/", "é", "%2F", "ab/a", "a".repeat(20)];
const glob = fc.array(fc.constantFrom(...WILD, ...LITERAL), { maxLength: 7 }).map((parts) =>
  `/${parts.join("")}`.replaceAll(/\/+/g, "/")
);
const path = fc.array(
  fc.constantFrom("a", "b", "/", "%C3%A9", "%2F", "ab/a", "a".repeat(20)),
  { maxLength: 9 },
).map((parts) => `/${parts.join("")}`.replaceAll(/\/+/g, "/"));

Deno.test("GlobMatcher agrees with an exhaustive search, including its captures", () => {
  let matched = 0;
  fc.assert(
    fc.property(glob, fc.array(path, { minLength: 4, maxLength: 4 }), (text, paths) => {
      const parsed = parseGlob(text);
      fc.pre("tokens" in parsed);
      const matcher = new GlobMatcher(parsed.tokens);
      for (const subject of paths) {
        const wanted = matchGlobPlainly(parsed.tokens, subject);
        assert.deepEqual(matcher.capture(subject), wanted, `${text} on ${subject}`);
        assert.equal(matcher.matches(subject), wanted !== undefined);
        if (wanted !== undefined) matched += 1;
      }
    }),
    { numRuns: 2000 },
  );
  assert.ok(matched > 200, `only ${matched} matches`);
});

Deno.test("GlobMatcher handles hostile globs, for which backtracking would take forever", async (t) => {
  const hostile: readonly [name: string, glob: string, path: string][] = [
    ["**a", `/${"**a".repeat(340)}b`, `/${"a".repeat(8000)}`],
    ["*a", `/${"*a".repeat(500)}b`, `/${"a".repeat(8000)}`],
    ["**/*", `/${"**/*a".repeat(200)}b`, `/${"a/".repeat(4000)}`],
    ["captures", `/**/{x}/**/${"*a/".repeat(300)}**b`, `/${"a/".repeat(4000)}c`],
  ];
  for (const [name, text, subject] of hostile) {
    await t.step(name, () => {
      assert.ok(text.length <= MAX_GLOB_LENGTH);
      const matcher = compile(text);
      assert.equal(matcher.capture(subject), undefined);
      assert.equal(matcher.capture(`${subject}ab`)?.length, matcher.names.length);
    });
  }
});

Deno.test("GlobMatcher returns captures that are already normalized", () => {
  const matcher = compile("/{a}/{r...}");
  fc.assert(fc.property(fc.webPath(), (raw) => {
    const normal = normalizePath(raw);
    fc.pre(typeof normal === "string");
    const found = matcher.capture(normal);
    fc.pre(found !== undefined);
    assert.equal(`/${found[0]}/${found[1]}`, normal);
  }));
});
