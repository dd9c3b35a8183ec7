import assert from "node:assert/strict";
import { type GitUrlRules, judgeGitUrl, pinAddress } from "./git_url.ts";
import { inTestFolder } from "../../lib/_test_folder.ts";

const STRICT: GitUrlRules = { allowPrivate: false, localRoots: ["/srv/git"] };

const PRIVATE: GitUrlRules = { allowPrivate: true, localRoots: [] };

Deno.test("judgeGitUrl() accepts allowed transports and ports", () => {
  const rows: readonly (readonly [text: string, rules: GitUrlRules])[] = [
    ["https://github.com/ada/site", STRICT],
    ["https://git.example.com:8443/a.git", STRICT],
    ["git@github.com:ada/site.git", STRICT],
    ["ssh://git@example.com:2222/a.git", STRICT],
    ["/srv/git/site.git", STRICT],
    ["file:///srv/git/site.git", STRICT],
    ["http://127.0.0.1/site.git", PRIVATE],
    ["ssh://git@10.0.0.1:443/a", PRIVATE],
  ];
  for (const [text, rules] of rows) assert.equal(judgeGitUrl(text, rules).type, "ok", text);
});

Deno.test("judgeGitUrl() normalizes the path of a local repository", () => {
  const source = { transport: "local", path: "/srv/git/site.git", origin: null } as const;
  assert.deepEqual(judgeGitUrl("/srv/git/./a/../site.git", STRICT), { type: "ok", source });
});

const REFUSED: readonly (readonly [text: string, reason: RegExp])[] = [
  ["ext::sh", /^The git URL must be a URL or path such as/],
  ["http://example.com/site.git", /must use https/],
  ["/etc", /--git-root/],
  ["/srv/git/../../etc", /--git-root/],
  ["/srv/github", /--git-root/],
  ["file:///srv/git/%2e%2e/%2e%2e/etc", /--git-root/],
  ["https://example.com:25/a", /port 443/],
  ["ssh://git@example.com:25/a", /port 22/],
  ["ssh://git@example.com:443/a", /port 22/],
  ["ssh://git@example.com:0/a", /port 22/],
];

for (const [text, reason] of REFUSED) {
  Deno.test(`judgeGitUrl() refuses ${JSON.stringify(text)}`, () => {
    const judged = judgeGitUrl(text, STRICT);
    assert.ok(judged.type === "refused", JSON.stringify(judged));
    assert.match(judged.reason, reason);
  });
}

const GITHUB = {
  transport: "http",
  scheme: "https",
  url: "https://github.com/a",
  host: "github.com",
  port: 443,
  origin: "https://github.com",
} as const;

Deno.test("pinAddress() returns the address that was checked", async () => {
  const pinned = await pinAddress(GITHUB, STRICT, () => Promise.resolve(["140.82.112.3"]));
  assert.deepEqual(pinned, { type: "ok", source: GITHUB, address: "140.82.112.3" });
});

Deno.test("pinAddress() refuses a name with one private address among others", async () => {
  const lookUp = () => Promise.resolve(["140.82.112.3", "169.254.169.254"]);
  assert.equal((await pinAddress(GITHUB, STRICT, lookUp)).type, "refused");
  const allowed = await pinAddress(GITHUB, { ...STRICT, allowPrivate: true }, lookUp);
  assert.equal(allowed.type, "ok");
});

Deno.test("pinAddress() reports a name without an address", async () => {
  const pinned = await pinAddress(GITHUB, STRICT, () => Promise.reject(new Error("ENOTFOUND")));
  assert.deepEqual(pinned, { type: "refused", reason: "The host github.com has no address" });
});

Deno.test("pinAddress() follows links unless they point outside allowed folders", async () => {
  return await inTestFolder(async (folder) => {
    const at = (name: string) => `${folder}/${name}`;
    for (const name of ["repos/site.git", "private/other.git"]) {
      await Deno.mkdir(at(name), { recursive: true });
    }
    await Deno.symlink(at("private/other.git"), at("repos/leak.git"));
    await Deno.symlink("site.git", at("repos/alias.git"));
    await Deno.symlink(at("repos"), at("linked"));
    const local = (name: string) => ({ transport: "local", path: at(name), origin: null }) as const;
    const pin = (name: string) => {
      const rules = { ...STRICT, localRoots: [at("linked"), at("repos")] };
      return pinAddress(local(name), rules, () => Promise.resolve([]));
    };
    const site = { type: "ok", source: local("repos/site.git") };
    assert.deepEqual(await pin("repos/alias.git"), site);
    assert.deepEqual(await pin("linked/site.git"), site);
    assert.equal((await pin("repos/leak.git")).type, "refused");
    assert.equal((await pin("repos/none.git")).type, "refused");
  });
});
