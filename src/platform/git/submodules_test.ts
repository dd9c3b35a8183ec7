import assert from "node:assert/strict";
import { parseGitUrl } from "../../lib/git_url.ts";
import { lfsServerOf, readPointers } from "./lfs.ts";
import { isSafePath, readModules, readTree, resolveModuleUrl } from "./submodules.ts";

const URLS: readonly (readonly [base: string | undefined, url: string, found?: string])[] = [
  ["https://git.example/ada/site.git", "../theme.git", "https://git.example/ada/theme.git"],
  ["https://git.example/ada/site", "../../eve/theme", "https://git.example/eve/theme"],
  ["https://git.example/ada/site.git/", "./theme", "https://git.example/ada/site.git/theme"],
  ["git@git.example:ada/site.git", "../theme.git", "git@git.example:ada/theme.git"],
  ["git@git.example:site.git", "../theme.git", "git@git.example:theme.git"],
  ["/srv/git/site", "../theme", "/srv/git/theme"],
  ["https://git.example/site", "../../../theme"],
  [undefined, "../theme"],
  [undefined, "https://git.example/theme", "https://git.example/theme"],
];

for (const [base, url, found] of URLS) {
  Deno.test(`resolveModuleUrl() resolves ${url} from ${base}`, () => {
    assert.equal(resolveModuleUrl(base, url), found);
  });
}

Deno.test("readModules() reads names with dots, and entries in any order", () => {
  const listing =
    "submodule.a.b.url\nhttps://x/y\0submodule.a.b.path\nlib/a/\0submodule.c.path\nc\0";
  assert.deepEqual([...readModules(listing)], [["lib/a", "https://x/y"]]);
});

Deno.test("readTree() reads files and submodules, regardless of their names", () => {
  const sha = "a".repeat(40);
  const listing = `100644 blob ${sha}     120\ta\tb\n.txt\x00160000 commit ${sha}       -\tlib\0`;
  assert.deepEqual(readTree(listing), [
    { mode: "100644", sha, size: 120, path: "a\tb\n.txt" },
    { mode: "160000", sha, size: undefined, path: "lib" },
  ]);
});

Deno.test("isSafePath() refuses paths that point elsewhere or into git's own folder", () => {
  for (const path of ["a", "a/b", "a/.github", ".git-x"]) assert.ok(isSafePath(path), path);
  for (const path of ["", "..", "a/../b", "/a", "a/", ".git", "a/.GIT/b", "a\\b", "a\nb"]) {
    assert.ok(!isSafePath(path), path);
  }
});

Deno.test("readPointers() reads pointers among other files", () => {
  const [blob, oid] = ["a".repeat(40), "b".repeat(64)];
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize 12345\n`;
  const text = `${"c".repeat(40)} blob 3\nabc\n${blob} blob ${pointer.length}\n${pointer}\n`;
  assert.deepEqual([...readPointers(text)], [[blob, { oid, size: 12345 }]]);
  assert.equal(readPointers(text.replace(oid, "../../etc")).size, 0);
});

Deno.test("lfsServerOf() finds the server next to a repository", () => {
  const rows: Readonly<Record<string, string | undefined>> = {
    "https://git.example/ada/site": "https://git.example/ada/site.git/info/lfs",
    "https://git.example:8443/ada/site.git/": "https://git.example:8443/ada/site.git/info/lfs",
    "git@git.example:ada/site.git": "https://git.example/ada/site.git/info/lfs",
    "ssh://git@git.example:2222/ada/site": "https://git.example/ada/site.git/info/lfs",
    "/srv/git/site": undefined,
  };
  for (const [url, server] of Object.entries(rows)) {
    const parsed = parseGitUrl(url);
    assert.ok(parsed.ok, url);
    assert.equal(lfsServerOf(parsed.address), server, url);
  }
});
