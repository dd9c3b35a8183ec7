import assert from "node:assert/strict";
import { folderPagesOf } from "./folder_pages.ts";

const layer = (directory: string, target = "STATIC") => ({ name: directory, target, directory });

Deno.test("folderPagesOf() recognizes folders with a page in any static layer", () => {
  const layers = [layer("."), layer("client")];
  const manifest = { version: 1, layers, urls: { trailingSlash: "never" } };
  const has = folderPagesOf(manifest, ["notes/a.txt", "a/index.html", "client/ü b/index.html"])!;
  const folders = ["/notes", "/a", "/%C3%BC%20b", "/b", "/%"];
  assert.deepEqual(folders.map(has), [false, true, true, false, false]);
  const redirects = folderPagesOf({ version: 1, layers }, ["a/index.html"])!;
  assert.equal(redirects("/a"), false);
});

Deno.test("folderPagesOf() returns undefined if there is a server layer or no valid manifest", () => {
  const manifest = { version: 1, layers: [layer("client"), layer("server", "COMPUTE")] };
  assert.equal(folderPagesOf(manifest, []), undefined);
  assert.equal(folderPagesOf("no manifest", []), undefined);
});
