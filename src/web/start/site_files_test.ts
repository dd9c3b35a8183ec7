import assert from "node:assert/strict";
import { Failure } from "../../platform/core/http/mod.ts";
import { siteFiles } from "./site_files.ts";

const files = (...paths: readonly string[]) => paths.map((path) => ({ path }));
const pathsOf = (given: readonly { readonly path: string }[]) => given.map(({ path }) => path);

Deno.test("siteFiles() strips enclosing folders and omits development files and secrets", () => {
  const given = files(
    "export/site/index.html",
    "export/site/css/site.css",
    "export/site/.env",
    "export/site/.env.production",
    "export/site/.envrc",
    "export/site/.envrc.html",
    "export/site/.env.example",
    "export/site/node_modules/a/index.js",
    "export/site/.git/HEAD",
    "__MACOSX/export/._index.html",
    "export/site/.DS_Store",
    "export/site/.well-known/security.txt",
  );
  assert.deepEqual(pathsOf(siteFiles(given)), [
    "index.html",
    "css/site.css",
    ".envrc.html",
    ".env.example",
    ".well-known/security.txt",
  ]);
});

const REFUSED: readonly (readonly [string, readonly string[], RegExp])[] = [
  ["no files", ["node_modules/a.js"], /has no files/],
  ["a path that leads outside", ["site/index.html", "../etc/passwd"], /"\.\.\/etc\/passwd"/],
  ["an absolute path", ["/etc/passwd"], /Must be a relative path/],
  ["a backslash", ["a\\b.html"], /Must be a relative path/],
];

for (const [name, paths, message] of REFUSED) {
  Deno.test(`siteFiles() refuses ${name}`, () => {
    assert.throws(
      () => siteFiles(files(...paths)),
      (error) => error instanceof Failure && message.test(error.message),
    );
  });
}
