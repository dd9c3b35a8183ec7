import assert from "node:assert/strict";
import { type GitUrlRules, judgeGitUrl, pinAddress } from "./git_url.ts";

const STRICT: GitUrlRules = { allowPrivate: false, localRoots: ["/srv/git"] };

const ACCEPTED: readonly (readonly [text: string, url: string])[] = [
  ["https://github.com/ada/site", "https://github.com/ada/site"],
  ["https://git.example.com:8443/a.git", "https://git.example.com:8443/a.git"],
  ["git@github.com:ada/site.git", "git@github.com:ada/site.git"],
  ["host.example:repos/site.git", "host.example:repos/site.git"],
  ["ssh://git@example.com:2222/~/site.git", "ssh://git@example.com:2222/~/site.git"],
  ["/srv/git/site.git", "/srv/git/site.git"],
  ["file:///srv/git/site.git", "/srv/git/site.git"],
];

for (const [text, url] of ACCEPTED) {
  Deno.test(`judgeGitUrl() accepts ${text}`, () => {
    const judged = judgeGitUrl(text, STRICT);
    assert.ok(judged.type === "ok");
    assert.equal(judged.source.type === "local" ? judged.source.path : judged.source.url, url);
  });
}

const REFUSED: readonly (readonly [text: string, reason: RegExp])[] = [
  ["--upload-pack=touch /tmp/x", /spaces|https or ssh/],
  ["-oProxyCommand=x:y", /https or ssh/],
  ["ext::sh", /https or ssh/],
  ["fd::17/foo", /https or ssh/],
  ["host:-oProxyCommand=x", /https or ssh/],
  ["ssh://-oProxyCommand=touch%20x/y", /host/],
  ["ssh://-x@host/y", /user/],
  ["http://example.com/site.git", /https/],
  ["https://ada:token@example.com/site.git", /credentials/],
  ["git://example.com/site.git", /https or ssh/],
  ["/etc", /--git-root/],
  ["/srv/git/../../etc", /--git-root/],
  ["/srv/github", /--git-root/],
  ["file:///srv/git/%2e%2e/%2e%2e/etc", /--git-root/],
  ["file:///srv/git/%zz", /https or ssh/],
  ["./site.git", /https or ssh/],
  ["https://example.com/a\nb", /control/],
  ["https://example.com:25/a", /port 443/],
  ["ssh://git@example.com:25/a", /port 22/],
  ["ssh://git@example.com:443/a", /port 22/],
];

for (const [text, reason] of REFUSED) {
  Deno.test(`judgeGitUrl() refuses ${JSON.stringify(text)}`, () => {
    const judged = judgeGitUrl(text, STRICT);
    assert.ok(judged.type === "refused", JSON.stringify(judged));
    assert.match(judged.reason, reason);
  });
}

const GITHUB = {
  type: "http",
  url: "https://github.com/a",
  host: "github.com",
  port: 443,
} as const;

Deno.test("pinAddress() names the address that was judged", async () => {
  const pinned = await pinAddress(GITHUB, STRICT, () => Promise.resolve(["140.82.112.3"]));
  assert.deepEqual(pinned, { type: "ok", source: GITHUB, address: "140.82.112.3" });
});

Deno.test("pinAddress() refuses a name with one private address among others", async () => {
  const lookUp = () => Promise.resolve(["140.82.112.3", "169.254.169.254"]);
  assert.equal((await pinAddress(GITHUB, STRICT, lookUp)).type, "refused");
  const allowed = await pinAddress(GITHUB, { ...STRICT, allowPrivate: true }, lookUp);
  assert.equal(allowed.type, "ok");
});

Deno.test("pinAddress() says where a name has no address", async () => {
  const pinned = await pinAddress(GITHUB, STRICT, () => Promise.reject(new Error("ENOTFOUND")));
  assert.deepEqual(pinned, { type: "refused", reason: "The name github.com has no address" });
});

Deno.test("pinAddress() follows the links of a folder, and none out of the allowed ones", async () => {
  const folder = await Deno.realPath(await Deno.makeTempDir());
  try {
    const at = (name: string) => `${folder}/${name}`;
    for (const name of ["repos/site.git", "private/other.git"]) {
      await Deno.mkdir(at(name), { recursive: true });
    }
    await Deno.symlink(at("private/other.git"), at("repos/leak.git"));
    await Deno.symlink("site.git", at("repos/alias.git"));
    await Deno.symlink(at("repos"), at("linked"));
    const pin = (name: string) => {
      const rules = { ...STRICT, localRoots: [at("linked"), at("repos")] };
      return pinAddress({ type: "local", path: at(name) }, rules, () => Promise.resolve([]));
    };
    const site = { type: "ok", source: { type: "local", path: at("repos/site.git") } };
    assert.deepEqual(await pin("repos/alias.git"), site);
    assert.deepEqual(await pin("linked/site.git"), site);
    assert.equal((await pin("repos/leak.git")).type, "refused");
    assert.equal((await pin("repos/none.git")).type, "refused");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
