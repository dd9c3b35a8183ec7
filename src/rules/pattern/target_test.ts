import assert from "node:assert/strict";
import { compileTarget, expandTarget, parseTarget, resolvedPath } from "./target.ts";

function expand(
  value: string,
  captures: Readonly<Record<string, string>> = {},
  from = "/from/here",
) {
  const parsed = parseTarget(value);
  assert.ok("target" in parsed, JSON.stringify(parsed));
  const compiled = compileTarget(parsed.target, Object.keys(captures));
  return expandTarget(compiled, Object.values(captures), from);
}

Deno.test("parseTarget() splits a target into its parts", () => {
  const parsed = parseTarget("HTTPS://a.test:8443/x/{p}?q={p}&r#{p}");
  assert.ok("target" in parsed);
  const { kind, scheme, authority, query, fragment } = parsed.target;
  assert.deepEqual([kind, scheme, authority], ["absolute", "https", "a.test:8443"]);
  assert.equal(query?.length, 3);
  assert.equal(fragment?.length, 2);
});

const BAD: readonly [target: string, offset: number, message: RegExp][] = [
  ["//evil.test", 0, /begins with "\/\/"/],
  ["/\\evil.test", 0, /begins with "\/\/"/],
  ["\\\\evil.test", 0, /begins with "\/\/"/],
  ["javascript:alert(1)", 0, /begins with "javascript:"/],
  ["https:evil.test", 0, /begins with "https:"/],
  ["https:///x", 8, /Name a host/],
  ["https://{h}/x", 8, /out of the host/],
  ["https://a.test{h}/x", 14, /out of the host/],
  ["https://a.test:{h}", 15, /out of the host/],
  ["/a\r\nb", 2, /control character/],
  ["/a%00", 2, /control character/],
  ["/{r...}", 1, /Reference the splat/],
];

Deno.test("parseTarget() refuses misleading targets", async (t) => {
  for (const [target, offset, message] of BAD) {
    await t.step(JSON.stringify(target), () => {
      const parsed = parseTarget(target);
      assert.ok("problems" in parsed);
      assert.equal(parsed.problems[0]?.offset, offset);
      assert.match(parsed.problems[0]?.message ?? "", message);
    });
  }
});

Deno.test("expandTarget() encodes a capture for the part of the URL that contains it", () => {
  const captures = { p: "a&b+c%20%2F", r: "x/y" };
  assert.deepEqual(expand("/to/{p}/{r}?k={p}&r={r}#{p}", captures), {
    origin: "",
    path: "/to/a&b+c%20%2F/x/y",
    query: "k=a%26b%2Bc%20%2F&r=x/y",
    fragment: "#a&b+c%20%2F",
  });
});

Deno.test("expandTarget() keeps a relative target on this site", () => {
  for (const target of ["{r}", "/{r}", "/{e}/{r}", "{e}{r}", "/{e}/{e}/{r}", "{e}//{r}"]) {
    for (const r of ["/evil.test", "//evil.test", "evil.test", "https:evil.test", "%5Cevil.test"]) {
      const { path, origin } = expand(target, { e: "", r });
      assert.equal(origin, "");
      assert.match(path, /^\/(?![\/\\])/, `${target} with ${r}`);
      assert.equal(new URL(path, "https://site.test/x/y").host, "site.test");
    }
  }
});

/** The relative paths among the examples of RFC 3986, 5.4, resolved against /b/c/d;p. */
const FROM_REQUEST: readonly [target: string, path: string][] = [
  ["g", "/b/c/g"],
  ["./g", "/b/c/g"],
  ["g/", "/b/c/g/"],
  ["?y", "/b/c/d;p"],
  ["#s", "/b/c/d;p"],
  ["g;x=1/./y", "/b/c/g;x=1/y"],
  [".", "/b/c/"],
  ["./", "/b/c/"],
  ["..", "/b/"],
  ["../g", "/b/g"],
  ["../..", "/"],
  ["../../../g", "/g"],
  ["g..", "/b/c/g.."],
  ["./g/.", "/b/c/g/"],
  ["g;x=1/../y", "/b/c/y"],
];

Deno.test("expandTarget() resolves a relative path against the request's path", async (t) => {
  for (const [target, path] of FROM_REQUEST) {
    await t.step(target, () => assert.equal(expand(target, {}, "/b/c/d;p").path, path));
  }
});

Deno.test("expandTarget() keeps an absolute target on its host", () => {
  for (const p of ["@evil.test", ".evil.test", "/evil.test", ":80", "%40evil.test"]) {
    const { origin, path } = expand("https://a.test/{p}", { p });
    assert.equal(new URL(origin + path).host, "a.test");
  }
});

Deno.test("resolvedPath() returns a normalized path", () => {
  assert.equal(resolvedPath(expand("/a//b/../{{c}}/é")), "/a/%7Bc%7D/%C3%A9");
  assert.equal(resolvedPath(expand("/../../etc/{p}", { p: "passwd" })), "/etc/passwd");
});
