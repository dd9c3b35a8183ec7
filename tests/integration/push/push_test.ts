/** Tests `git push` to the platform with the real git client. */
import assert from "node:assert/strict";
import { git, makeRepository } from "../../../src/lib/_test_git.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { TOKEN } from "../../helpers/platform.ts";
import { type BuildPlatform, withBuilds } from "../../helpers/git_builds.ts";

/** Pushes as a user would. Returns the output. */
async function push(folder: string, ...args: string[]) {
  const { code, stderr } = await new Deno.Command("git", {
    args: ["-C", folder, "push", ...args],
    env: { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null", GIT_TERMINAL_PROMPT: "0" },
  }).output();
  return { code, text: new TextDecoder().decode(stderr) };
}

interface Remote {
  readonly url: string;
  readonly id: string;
}

/** Creates a project that receives pushes. Returns its URL with a key as the password. */
async function makeRemote({ api, port }: BuildPlatform, name: string): Promise<Remote> {
  const { json } = await api("POST", "/v1/projects", { json: { name } });
  const url = `http://svc:${TOKEN}@127.0.0.1:${port}/git/${json.workspace}/${name}.git`;
  return { url, id: json.id };
}

const hostIn = (text: string, pattern: RegExp): string => new URL(pattern.exec(text)![1]!).hostname;

Deno.test("git push deploys branches or reports a failed build, and git clone gets the pushed files", async () => {
  await withBuilds(async (platform) => {
    const { folder, get, api, dataDir } = platform;
    const site = await makeRepository(`${folder}/work`);
    const { url, id } = await makeRemote(platform, "shop");
    await site.commit("main", { "index.html": "<h1>main</h1>" });
    const first = await push(site.path, url, "main");
    assert.equal(first.code, 0, first.text);
    assert.match(first.text, /remote: svc: building [0-9a-f]{7} of main for production/);
    assert.match(first.text, /remote: Building commit/);
    assert.match(first.text, /remote: svc: main is live at http:\/\/shop\.localhost/);
    assert.match((await get("shop.localhost", "/")).text, /<h1>main<\/h1>/);

    await site.commit("feature/menu", { "index.html": "<h1>menu</h1>" });
    const branch = await push(site.path, url, "feature/menu");
    assert.equal(branch.code, 0, branch.text);
    const host = hostIn(branch.text, /feature\/menu is live at (\S+)/);
    assert.match((await get(host, "/")).text, /<h1>menu<\/h1>/);
    assert.match((await get("shop.localhost", "/")).text, /<h1>main<\/h1>/);

    const again = await push(site.path, url, "feature/menu");
    assert.match(again.text, /Everything up-to-date/);
    const deleted = await push(site.path, url, "--delete", "feature/menu");
    assert.equal(deleted.code, 0, deleted.text);
    assert.match(deleted.text, /deleted feature\/menu and its preview/);
    assert.equal((await get(host, "/")).status, 404);

    assert.match((await push(site.path, url, "--delete", "main")).text, /cannot be deleted/);
    const { json: log } = await api("GET", "/v1/audit?action=gitPush");
    assert.deepEqual(log.items.map(({ path }: { path: string }) => path), [
      "/git/default/shop.git refs/heads/feature/menu",
      "/git/default/shop.git refs/heads/feature/menu",
      "/git/default/shop.git refs/heads/main",
    ], "the audit log contains no refused push");
    const [{ project, credential, address, summary }] = log.items;
    assert.deepEqual([project, credential.type, address], ["shop", "api_key", "127.0.0.1"]);
    assert.equal(summary, "Change a branch or tag with git push");
    assert.ok(!JSON.stringify(log).includes(TOKEN));

    await git(site.path, "checkout", "--quiet", "main");
    await api("PATCH", `/v1/projects/${id}`, { json: { buildCommand: "echo it breaks; exit 3" } });
    const sha = await site.commit("main", { "index.html": "<h1>next</h1>" });
    const broken = await push(site.path, url, "main");
    assert.notEqual(broken.code, 0);
    assert.match(broken.text, /remote: it breaks/);
    assert.match(broken.text, /! \[remote rejected\] main -> main \(stored, but not deployed: /);
    assert.match((await get("shop.localhost", "/")).text, /<h1>main<\/h1>/);
    assert.match(await git(site.path, "ls-remote", url, "main"), new RegExp(sha));

    await git(folder, "clone", "--quiet", url, "copy");
    assert.equal(await Deno.readTextFile(`${folder}/copy/index.html`), "<h1>next</h1>");
    const branches = await git(`${folder}/copy`, "branch", "-r");
    assert.equal(branches, "origin/HEAD -> origin/main\n  origin/main");
    await api("DELETE", "/v1/projects/shop");
    assert.deepEqual(await Array.fromAsync(Deno.readDir(`${dataDir}/repositories`)), []);
  });
});

Deno.test("forbidden pushes are refused and leave nothing behind", async () => {
  await withBuilds(async (platform) => {
    const { folder, dataDir, port, api } = platform;
    const site = await makeRepository(`${folder}/work`);
    const { url } = await makeRemote(platform, "shop");
    await site.commit("main", { "index.html": "<h1>main</h1>" });
    const pushed = () => Array.fromAsync(Deno.readDir(`${dataDir}/repositories`)).catch(() => []);

    const wrong = url.replace(TOKEN, "wrong-key-0123456789abcdef");
    assert.match((await push(site.path, wrong, "main")).text, /Authentication failed/);
    const foreign = url.replace(/\/git\/[^/]+/, "/git/another");
    assert.match((await push(site.path, foreign, "main")).text, /belongs to workspace/);
    const notes = await push(site.path, url, "main:refs/notes/commits");
    assert.match(notes.text, /only branches and tags can be pushed/);
    const replaced = await push(site.path, url, "main", "main:refs/replace/0123");
    assert.match(replaced.text, /main -> main \(another ref was refused\)/);
    assert.deepEqual(await pushed(), []);
    // The memory for a list of refs is released a moment after the response has been sent.
    await until(
      () => Array.fromAsync(Deno.readDir(`${dataDir}/builds`)),
      (left) => left.length === 0,
    );

    // A tree with an entry named `.git`, which a checkout would write into its own repository.
    const blob = await git(site.path, "rev-parse", "main:index.html");
    const tree = await makeTree(site.path, `100644 .git\0`, blob);
    const commit = await git(site.path, "commit-tree", tree, "-m", "Trick");
    await git(site.path, "update-ref", "refs/heads/trick", commit);
    const trick = await push(site.path, url, "trick");
    assert.notEqual(trick.code, 0);
    assert.match(trick.text, /hasDotgit/);
    assert.deepEqual(await pushed(), []);

    await api("PATCH", "/v1/projects/shop", { json: { gitUrl: `${folder}/site` } });
    assert.match((await push(site.path, url, "main")).text, /is built from .*Push there/);
    const plain = await fetch(`http://127.0.0.1:${port}/git/main/shop.git/info/refs`);
    assert.equal(plain.status, 403);
    await plain.body?.cancel();
  });
});

Deno.test("a completely refused push reports the reason for each ref", async () => {
  await withBuilds(async (platform) => {
    const { folder } = platform;
    const site = await makeRepository(`${folder}/work`);
    const { url } = await makeRemote(platform, "shop");
    const sha = await site.commit("main", { "index.html": "<h1>main</h1>" });
    const refs = Array.from({ length: 1001 }, (_, index) => `create refs/tags/t${index} ${sha}\n`);
    await Deno.writeTextFile(`${folder}/refs`, refs.join(""));
    const update = await new Deno.Command("sh", {
      args: ["-c", `git -C '${site.path}' update-ref --stdin <'${folder}/refs'`],
    }).output();
    assert.ok(update.success);
    const many = await push(site.path, url, "main", "--tags");
    assert.notEqual(many.code, 0);
    assert.match(
      many.text,
      /remote: svc: a push can change at most 1000 refs: push fewer at a time/,
    );
    assert.match(
      many.text,
      /! \[remote rejected\] t1000 -> t1000 \(a push can change at most 1000/,
    );
    assert.doesNotMatch(many.text, /RPC failed|Everything up-to-date/);
  });
});

Deno.test("a push from a shallow clone is accepted only if it has enough commits", async () => {
  await withBuilds(async (platform) => {
    const { folder, get } = platform;
    const site = await makeRepository(`${folder}/work`);
    const { url } = await makeRemote(platform, "shop");
    await site.commit("main", { "index.html": "<h1>one</h1>" });
    await site.commit("main", { "index.html": "<h1>two</h1>" });
    await git(folder, "clone", "--quiet", "--depth=1", `file://${site.path}`, "shallow");
    const refused = await push(`${folder}/shallow`, url, "main");
    assert.notEqual(refused.code, 0);
    assert.match(
      refused.text,
      /! \[remote rejected\] main -> main \(the clone is shallow .*git fetch --unshallow/,
    );
    assert.doesNotMatch(refused.text, /RPC failed|Everything up-to-date/);
    const whole = await push(site.path, url, "main");
    assert.equal(whole.code, 0, whole.text);
    await Deno.writeTextFile(`${folder}/shallow/index.html`, "<h1>three</h1>");
    await git(`${folder}/shallow`, "commit", "--quiet", "--all", "-m", "Three");
    const taken = await push(`${folder}/shallow`, url, "main");
    assert.equal(taken.code, 0, taken.text);
    assert.match((await get("shop.localhost", "/")).text, /three/);
  });
});

Deno.test("a push reports that the platform has no capacity at the moment", async () => {
  await withBuilds(async (platform) => {
    const { folder } = platform;
    const site = await makeRepository(`${folder}/work`);
    const { url } = await makeRemote(platform, "shop");
    await site.commit("main", { "index.html": "<h1>main</h1>" });
    const address = new URL(url);
    const authorization = `Basic ${btoa(`${address.username}:${address.password}`)}`;
    address.username = address.password = "";
    const stop = new AbortController();
    // Each request uses one of the project's slots while its body is open. The request is retried
    // if a probe is using the slot.
    const hold = async () => {
      while (!stop.signal.aborted) {
        const body = new ReadableStream({ start: (it) => it.enqueue(new Uint8Array(1)) });
        await fetch(`${address}/git-receive-pack`, {
          method: "POST",
          body,
          signal: stop.signal,
          headers: { authorization, "content-type": "application/x-git-receive-pack-request" },
        }).then((response) => response.text()).catch(() => {});
      }
    };
    const held = Array.from({ length: 16 }, hold);
    const probe = () =>
      fetch(`${address}/git-receive-pack`, {
        method: "POST",
        body: "0000",
        headers: { authorization, "content-type": "application/x-git-receive-pack-request" },
      }).then((response) => response.text());
    const text = await until(probe, (text) => text.includes("Too many git requests"));
    assert.equal(text.slice(4, 31), "\x03svc: Too many git requests"); // Sideband 3 carries errors.
    stop.abort();
    await Promise.all(held);
  });
});

/** Writes a tree with an entry whose name git itself would reject. */
async function makeTree(folder: string, entry: string, sha: string): Promise<string> {
  const file = `${folder}/.git/tree`;
  const head = new TextEncoder().encode(entry);
  const bytes = new Uint8Array(head.length + 20);
  bytes.set(head);
  bytes.set(Uint8Array.fromHex(sha), head.length);
  await Deno.writeFile(file, bytes);
  return await git(folder, "hash-object", "-t", "tree", "-w", "--literally", file);
}

Deno.test("a key for previews can push only other branches, and a read-only key none", async () => {
  await withBuilds(async (platform) => {
    const { folder, api } = platform;
    const site = await makeRepository(`${folder}/work`);
    const { url } = await makeRemote(platform, "shop");
    const remoteFor = async (permission: string) => {
      const { json } = await api("POST", "/v1/api-keys", {
        json: { name: permission, permissions: [permission] },
      });
      return url.replace(TOKEN, json.key);
    };
    await site.commit("main", { "index.html": "<h1>main</h1>" });
    const previews = await remoteFor("deploy-previews");
    const main = await push(site.path, previews, "main");
    assert.match(main.text, /the key lacks the permission "deploy-production"/);
    const menu = await push(site.path, previews, "main:menu");
    assert.equal(menu.code, 0, menu.text);
    assert.match(menu.text, /menu is live at/);
    assert.match(await git(site.path, "ls-remote", previews), /refs\/heads\/menu/);
    const reader = await push(site.path, await remoteFor("read"), "main:other");
    assert.match(reader.text, /lacks the permission "deploy-previews" or "deploy-production"/);
    const production = await remoteFor("deploy-production");
    assert.match((await push(site.path, production, "--delete", "menu")).text, /"deploy-previews"/);
    assert.equal((await push(site.path, production, "main")).code, 0);
  });
});
