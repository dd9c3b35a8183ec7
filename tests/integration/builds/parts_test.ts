/** Tests content that a commit only references: submodules and Git LFS files. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { makeRepository, serveGit, type TestRepository } from "../../../src/lib/_test_git.ts";
import { type BuildPlatform, textOf, withBuilds } from "../../helpers/git_builds.ts";
import { serveLfs } from "../../helpers/lfs_server.ts";

/** Settings for a platform that is not allowed to reach this machine. */
const STRICT = { allowPrivateUpstreams: false };

/** Adds a submodule to a repository without copying its content. */
async function link(
  repository: TestRepository,
  { path, url, sha }: { readonly path: string; readonly url?: string; readonly sha: string },
): Promise<void> {
  if (url !== undefined) {
    const file = join(repository.path, ".gitmodules");
    await Deno.writeTextFile(file, `[submodule "${path}"]\n\tpath = ${path}\n\turl = ${url}\n`, {
      append: true,
    });
    await repository.git("add", ".gitmodules");
  }
  await repository.git("update-index", "--add", "--cacheinfo", `160000,${sha},${path}`);
  await Deno.mkdir(join(repository.path, path), { recursive: true });
  await repository.git("commit", "--quiet", "-m", "Add a submodule");
}

/** Builds the current head of main. */
async function buildHead(platform: BuildPlatform, hook: string) {
  const commitSha = await platform.repository.git("rev-parse", "HEAD");
  const { id, status } = await platform.trigger(hook, { branch: "main", commitSha });
  assert.equal(status, 200);
  const ended = await platform.ended(id);
  return { ...ended, text: textOf(await platform.log(id)) };
}

Deno.test("a build gets its submodules' files, including nested ones with relative URLs", async () => {
  await withBuilds(async (platform) => {
    const { folder, repository } = platform;
    const { id, hook } = await platform.project("shop", { outputDirectory: "." });
    const icons = await makeRepository(folder, "icons");
    const iconsSha = await icons.commit("main", { "star.svg": "<svg/>" });
    const theme = await makeRepository(folder, "theme");
    const old = await theme.commit("main", { "theme.css": "a{}" });
    await link(theme, { path: "icons", url: "../icons", sha: iconsSha });
    const themeSha = await theme.git("rev-parse", "HEAD");
    await theme.commit("main", { "theme.css": "newer{}" });
    await repository.commit("main", { "index.html": "home" });
    await link(repository, { path: "themes/plain", url: "../theme", sha: themeSha });
    assert.notEqual(old, themeSha);
    const built = await buildHead(platform, hook);
    assert.equal(built.error, null, built.text);
    assert.match(
      built.text,
      new RegExp(`Fetched submodule themes/plain \\(${themeSha.slice(0, 7)}\\)`),
    );
    assert.match(built.text, /Fetched submodule themes\/plain\/icons/);
    const host = new URL(built.url).hostname;
    assert.equal((await platform.get(host, "/themes/plain/theme.css")).text, "a{}");
    assert.equal((await platform.get(host, "/themes/plain/icons/star.svg")).text, "<svg/>");

    await using server = serveGit(folder, { basic: "ada:secret" });
    const gitUrl = `${server.url}/site/.git`;
    await platform.api("PATCH", `/v1/projects/${id}`, { json: { gitUrl } });
    await platform.api("PUT", `/v1/projects/${id}/git-credentials`, {
      json: { type: "https", username: "ada", token: "secret" },
    });
    await repository.git("rm", "-r", "-f", "--quiet", "--cached", "themes/plain");
    await Deno.remove(join(repository.path, ".gitmodules"));
    await link(repository, {
      path: "themes/plain",
      sha: old,
      url: `${server.url}/theme/.git`,
    });
    const private_ = await buildHead(platform, hook);
    assert.equal(private_.error, null, private_.text);
    assert.doesNotMatch(private_.text, /secret/);
  });
});

const MISSING: readonly (readonly [string, string | undefined, RegExp])[] = [
  ["without an entry", undefined, /submodule lib: It has no entry in \.gitmodules\. Add it with/],
  ["that does not exist", "../nowhere", /submodule lib: .*nowhere: There is no repository/],
  ["with git's ext protocol", "ext::sh -c 'touch /tmp/evil'", /The git URL must/],
  ["with a password", "https://ada:hunter2@git.example/x", /https:\/\/git\.example\/x: .*password/],
  ["outside the platform's folders", "/etc", /submodule lib: \/etc: Local repositories must/],
  ["whose commit is gone", "../lib", /submodule lib: .*lib: /],
];

for (const [name, url, message] of MISSING) {
  Deno.test(`a build fails, and its error names a submodule ${name}`, async () => {
    await withBuilds(async (platform) => {
      const { folder, repository } = platform;
      const { hook } = await platform.project("shop", { outputDirectory: "." });
      await (await makeRepository(folder, "lib")).commit("main", { "a": "b" });
      await repository.commit("main", { "index.html": "home" });
      await link(repository, { path: "lib", sha: "1".repeat(40), ...(url && { url }) });
      const ended = await buildHead(platform, hook);
      assert.equal(ended.status, "FAILED");
      assert.match(ended.error ?? "", message);
      assert.doesNotMatch(`${ended.error}${ended.text}`, /hunter2/);
    });
  });
}

Deno.test("submodules cannot reach private addresses that the project's repository cannot reach", async () => {
  await withBuilds(async (platform) => {
    const { folder, repository } = platform;
    await using server = serveGit(folder);
    const { hook } = await platform.project("shop", { outputDirectory: "." });
    await repository.commit("main", { "index.html": "home" });
    const url = `${server.url.replace("http:", "https:")}/site/.git`;
    await link(repository, { path: "lib", url, sha: "1".repeat(40) });
    const ended = await buildHead(platform, hook);
    assert.match(ended.error ?? "", /submodule lib: .*127\.0\.0\.1 is not public/);
    assert.deepEqual(server.requests, []);
  }, STRICT);
});

Deno.test("a build gets files from Git LFS, and names a missing one", async () => {
  await withBuilds(async (platform) => {
    await using server = serveLfs();
    const { hook } = await platform.project("shop", { outputDirectory: "site" });
    const video = server.add("a long video");
    const files = {
      ".gitattributes": "*.mp4 filter=lfs diff=lfs merge=lfs -text\n",
      ".lfsconfig": `[lfs]\n\turl = ${server.url}\n`,
      "site/index.html": "home",
      "site/intro.mp4": video,
      "site/copy.mp4": video,
    };
    const built = await platform.build(hook, files);
    const text = textOf(await platform.log(built.id));
    assert.equal(built.error, null, text);
    assert.match(text, /Fetched 2 Git LFS files \(24 B\)/);
    const host = new URL(built.url).hostname;
    for (const path of ["/intro.mp4", "/copy.mp4"]) {
      assert.equal((await platform.get(host, path)).text, "a long video");
    }
    const gone = `version https://git-lfs.github.com/spec/v1\noid sha256:${
      "a".repeat(64)
    }\nsize 5\n`;
    const missing = await platform.build(hook, { "site/gone.mp4": gone });
    assert.match(
      missing.error ?? "",
      /Cannot fetch site\/gone\.mp4 from Git LFS.*127\.0\.0\.1.*: it responded: Object does not exist/,
    );
    const forged = server.add("the right film", "the wrong film");
    const wrong = await platform.build(hook, { "site/gone.mp4": forged });
    assert.match(
      wrong.error ?? "",
      /site\/gone\.mp4 from Git LFS.*the size or SHA-256 of the file is wrong/,
    );
    const plain = await platform.build(hook, {
      "site/gone.mp4": "",
      ".gitattributes": "",
      "site/pointer.mp4": video,
    });
    assert.match(plain.error ?? "", /site\/copy\.mp4: Is a Git LFS pointer/);
  });
});

Deno.test("Git LFS gets the project's credentials only on its own host, and reaches no private address", async () => {
  const files = (url: string, pointer: string) => ({
    ".gitattributes": "*.mp4 filter=lfs\n",
    ".lfsconfig": `[lfs]\n\turl = ${url}\n`,
    "index.html": "home",
    "intro.mp4": pointer,
  });
  await withBuilds(async (platform) => {
    await using server = serveLfs({ basic: "ada:secret" });
    await using forge = serveGit(platform.folder, { basic: "ada:secret" });
    const { id, hook } = await platform.project("shop", {});
    await platform.api("PATCH", `/v1/projects/${id}`, {
      json: { gitUrl: `${forge.url}/site/.git` },
    });
    await platform.api("PUT", `/v1/projects/${id}/git-credentials`, {
      json: { type: "https", username: "ada", token: "secret" },
    });
    const ended = await platform.build(hook, files(server.url, server.add("film")));
    assert.match(ended.error ?? "", /intro\.mp4 from Git LFS.*it denied access \(status 401\)/);
    assert.deepEqual(server.asked.map(({ authorization }) => authorization), [null]);
  });
  await withBuilds(async (platform) => {
    await using server = serveLfs();
    const { hook } = await platform.project("shop", {});
    const url = server.url.replace("http:", "https:");
    const ended = await platform.build(hook, files(url, server.add("film")));
    assert.match(ended.error ?? "", /intro\.mp4 from Git LFS.*127\.0\.0\.1 is not public/);
    assert.deepEqual(server.asked, []);
  }, STRICT);
});
