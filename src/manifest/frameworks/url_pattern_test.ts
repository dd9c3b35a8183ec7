import assert from "node:assert/strict";
import { type PathPattern, patternOfFile, patternOfPath } from "./url_pattern.ts";

/** Matches a path and returns its parameters by name. */
function taken({ pattern, parameters }: PathPattern, path: string) {
  const found = new RegExp(pattern).exec(path);
  if (found === null) return undefined;
  return Object.fromEntries(parameters.map(({ name }, at) => [name, found[at + 1]]));
}

Deno.test("patternOfFile() reads names in brackets as parameters", () => {
  const rows: readonly (readonly [file: string, path: string, expected: unknown])[] = [
    ["hello", "/api/hello", {}],
    ["hello", "/api/hello/", {}],
    ["hello", "/api/hello2", undefined],
    ["a.b", "/api/axb", undefined],
    ["index", "/api", {}],
    ["users/index", "/api/users", {}],
    ["users/[id]", "/api/users/7", { id: "7" }],
    ["users/[id]", "/api/users/7/8", undefined],
    ["[...path]", "/api/a/b", { path: "a/b" }],
    ["[...path]", "/api", undefined],
    ["[[...path]]", "/api", { path: undefined }],
    ["[[...path]]", "/api/a/b", { path: "a/b" }],
    ["[user]/posts/[post]", "/api/u/posts/p", { user: "u", post: "p" }],
  ];
  for (const [file, path, expected] of rows) {
    assert.deepEqual(taken(patternOfFile("/api", file), path), expected, `${file} ${path}`);
  }
});

Deno.test("patternOfFile() ranks fixed segments before parameters, and catch-alls last", () => {
  const ranks = ["users/me", "users/[id]", "[...rest]", "[[...rest]]"]
    .map((file) => patternOfFile("/api", file).precision);
  assert.deepEqual(ranks, [...ranks].sort((left, right) => right - left));
});

Deno.test("patternOfPath() reads parameters and stars", () => {
  const rows: readonly (readonly [written: string, path: string, expected: unknown])[] = [
    ["/a/:id", "/a/1", { id: "1" }],
    ["/a/:id", "/a", undefined],
    ["/a/:id?", "/a", { id: undefined }],
    ["/a/:rest*", "/a", { rest: undefined }],
    ["/a/:rest*", "/a/b/c", { rest: "b/c" }],
    ["/a/*", "/a/b/c", { 0: "b/c" }],
    ["/(.*)", "/x/y", { 0: "x/y" }],
    ["/v1.0/a", "/v1x0/a", undefined],
  ];
  for (const [written, path, expected] of rows) {
    const pattern = patternOfPath(written);
    assert.ok(pattern !== undefined, written);
    assert.deepEqual(taken(pattern, path), expected, `${written} ${path}`);
  }
  for (const other of ["a", "/a/(b|c)", "/a{/b}?", "/:id(\\d+)"]) {
    assert.equal(patternOfPath(other), undefined, other);
  }
});
