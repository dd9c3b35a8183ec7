import assert from "node:assert/strict";
import { LinksError, MAX_LINKS, parseLinks } from "./deployment_links.ts";

const PATHS = ["server.js", "node_modules/.store/next@1/node_modules/next/index.js"];

const parse = (links: unknown) => parseLinks(JSON.stringify({ version: 1, links }), PATHS);

Deno.test("parseLinks() reads package links", () => {
  const links = {
    "node_modules/next": ".store/next@1/node_modules/next",
    "node_modules/.store/next@1/node_modules/react": "../../react@1/node_modules/react",
    "node_modules/@scope/a": "../.store/a",
    "node_modules/root": "..",
    "node_modules/folder": ".",
  };
  assert.deepEqual(Object.fromEntries(parse(links)), links);
});

const refusals: readonly (readonly [string, unknown, RegExp])[] = [
  [
    "a target outside the deployment",
    { "a/b": "../../etc" },
    /link "a\/b": its target .* points outside/,
  ],
  ["a target outside the deployment from a link in its root", { "a": ".." }, /points outside/],
  ["an absolute target", { "a": "/etc" }, /starts with "\/"/],
  ["a target that goes up after a folder", { "a/b/c": "d/../../x" }, /has "\.\."/],
  ["a target with a NUL character", { "a": "b\0c" }, /control character/],
  ["an empty target", { "a": "" }, /links\.a: /],
  ["a path outside the deployment", { "../a": "b" }, /the path has "\.\."/],
  ["an absolute path", { "/a": "b" }, /the path starts with/],
  ["a path that is not plain", { "a//b": "c" }, /not normalized/],
  ["the deployment itself", { ".": "a" }, /not normalized/],
  ["a link at the path of a file", { "server.js": "a" }, /already exists there/],
  ["a link at the path of a folder", { "node_modules": "a" }, /already exists there/],
  ["a link through a link", { "a": "b", "a/c/d": "e" }, /inside the link a$/],
  ["a list of paths", ["a"], /links: /],
];

for (const [name, links, reason] of refusals) {
  Deno.test(`parseLinks() refuses ${name}`, () => {
    assert.throws(
      () => parse(links),
      (error) => error instanceof LinksError && reason.test(error.message),
    );
  });
}

Deno.test("parseLinks() refuses other versions, extra fields, and too many links", () => {
  assert.throws(() => parseLinks("{", []), LinksError);
  assert.throws(() => parseLinks('{"version":2,"links":{}}', []), LinksError);
  assert.throws(() => parseLinks('{"version":1,"links":{},"more":1}', []), LinksError);
  const many = Object.fromEntries(
    Array.from({ length: MAX_LINKS + 1 }, (_, at) => [`l${at}`, "a"]),
  );
  assert.throws(() => parse(many), /at most 20000/);
});
