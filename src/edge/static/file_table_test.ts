import assert from "node:assert/strict";
import fc from "fast-check";
import { normalizePath } from "../../rules/mod.ts";
import { atOnce } from "../../lib/next_turn.ts";
import { createFileTable, findFile, urlPathOf } from "./file_table.ts";

const file = (path: string) => ({ path, sha256: path.padEnd(64, "0"), size: 1 });
const table = (paths: readonly string[], directory = ".") =>
  atOnce(createFileTable(paths.map(file), { directory, common: [] }));

function found(paths: readonly string[], path: string, directory?: string): string | undefined {
  return findFile(table(paths, directory), path)?.file.plain.sha256.replace(/0+$/, "");
}

const all = ["a", "a.html", "a/index.html", "b.html", "b/index.html", "c/index.html", "index.html"];

const rows: readonly (readonly [path: string, file: string | undefined])[] = [
  ["/", "index.html"],
  ["/index.html", "index.html"],
  ["/index", "index.html"],
  ["/a", "a"],
  ["/a/", "a/index.html"],
  ["/b", "b.html"],
  ["/b/", "b/index.html"],
  ["/c", "c/index.html"],
  ["/c/", "c/index.html"],
  ["/b.html", "b.html"],
  ["/b.html/", undefined],
  ["/a.html/", undefined],
  ["/d", undefined],
  ["/A", undefined],
];

for (const [path, expected] of rows) {
  Deno.test(`findFile() finds ${expected ?? "nothing"} at ${path}`, () => {
    assert.equal(found(all, path), expected);
  });
}

Deno.test("createFileTable() accepts only the layer's folder, and not its siblings", () => {
  const paths = ["client/a.txt", "client2/b.txt", "server/secret.mjs", "c.txt"];
  assert.equal(found(paths, "/a.txt", "client"), "client/a.txt");
  for (const path of ["/b.txt", "/secret.mjs", "/server/secret.mjs", "/c.txt", "/client/a.txt"]) {
    assert.equal(found(paths, path, "client"), undefined);
  }
});

Deno.test("createFileTable() omits the build's internal folder", () => {
  assert.equal(
    found([".svc/manifest.json", ".well-known/x.txt"], "/.svc/manifest.json"),
    undefined,
  );
  assert.equal(
    found([".svc/manifest.json", ".well-known/x.txt"], "/.well-known/x.txt"),
    ".well-known/x.txt",
  );
});

Deno.test("createFileTable() pairs a file with its precompressed forms", () => {
  const built = table(["app.js", "app.js.br", "app.js.gz", "lonely.css.br"]);
  const codings = (path: string) => findFile(built, path)?.file.variants.map((form) => form.coding);
  assert.deepEqual(codings("/app.js"), ["br", "gzip"]);
  assert.deepEqual(codings("/app.js.br"), []);
  assert.deepEqual(codings("/lonely.css.br"), []);
  assert.equal(findFile(built, "/lonely.css"), undefined);
});

const segment = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }).filter((text) =>
  // deno-lint-ignore no-control-regex -- excludes characters that the contract forbids in paths
  text.isWellFormed() && !/[\\/\x00-\x1f\x7f]/.test(text) && text !== "." && text !== ".."
);

Deno.test("urlPathOf() is the normalized form of every encoded URL of the file", () => {
  fc.assert(fc.property(fc.array(segment, { minLength: 1, maxLength: 4 }), (segments) => {
    const path = segments.join("/");
    const key = urlPathOf(path);
    assert.equal(normalizePath(key), key);
    assert.equal(normalizePath(`/${segments.map(encodeURIComponent).join("/")}`), key);
    const everyByte = [...new TextEncoder().encode(path)].map((byte) =>
      byte === 0x2f ? "/" : `%${byte.toString(16).padStart(2, "0")}`
    ).join("");
    assert.equal(normalizePath(`/${everyByte}`), key);
  }));
});

Deno.test("urlPathOf() gives different files different URLs", () => {
  fc.assert(fc.property(segment, segment, (left, right) => {
    assert.equal(urlPathOf(left) === urlPathOf(right), left === right);
  }));
  assert.notEqual(urlPathOf("a%2Fb"), urlPathOf("a/b"));
});
