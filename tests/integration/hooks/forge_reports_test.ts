/**
 * The platform reports deployments' states to forges, with commit statuses and a single comment.
 */
import assert from "node:assert/strict";
import type { ApiAnswer } from "../../helpers/platform.ts";
import { type HookPlatform, withHooks } from "../../helpers/deploy_hooks.ts";
import { type ForgeKind, type ForgeServer, serveForge } from "../../helpers/forge_server.ts";
import { makeRepository, serveGit, type TestRepository } from "../../../src/lib/_test_git.ts";
import { until } from "../../../src/lib/_test_until.ts";

const TOKEN = "s3cret-token-of-a-forge";

interface Bench {
  readonly forge: ForgeServer;
  readonly platform: HookPlatform;
  readonly repository: TestRepository;
  /** Posts an event to the hook as GitHub would. */
  send(event: string, body: unknown): Promise<ApiAnswer>;
  report(id: string): Promise<Record<string, unknown> | null>;
}

const pushed = (branch: string) => ({ ref: `refs/heads/${branch}`, after: "a".repeat(40) });
const pull = (action: string, number = 7) => ({
  action,
  number,
  pull_request: {
    state: action === "closed" ? "closed" : "open",
    head: { ref: "menu", repo: { full_name: "ada/shop" } },
    base: { ref: "main", repo: { full_name: "ada/shop" } },
  },
});

async function withForge(kind: ForgeKind, run: (bench: Bench) => Promise<void>): Promise<void> {
  await withHooks(async (platform) => {
    const { api, folder, hook } = platform;
    const repository = await makeRepository(`${folder}/forge/ada`, "shop");
    await repository.commit("main", { "index.html": "<p>one</p>" });
    await using server = serveGit(`${folder}/forge`, { basic: `ada:${TOKEN}` });
    await using forge = serveForge(kind, { repository: "ada/shop", token: TOKEN });
    // The repository's address is `<host>/ada/shop.git`, as on forges.
    await Deno.symlink(`${repository.path}/.git`, `${folder}/forge/ada/shop.git`);
    const { status } = await api("PATCH", "/v1/projects/shop", {
      json: { gitUrl: `${server.url}/ada/shop.git` },
    });
    assert.equal(status, 200);
    const stored = await api("PUT", "/v1/projects/shop/git-credentials", {
      json: {
        type: "https",
        username: "ada",
        token: TOKEN,
        apiUrl: forge.api,
        forge: kind === "bitbucket-server" ? "bitbucket" : kind,
      },
    });
    assert.equal(stored.status, 200, JSON.stringify(stored.json));
    assert.ok(!JSON.stringify(stored.json).includes(TOKEN));
    const { url } = await hook();
    await run({
      forge,
      platform,
      repository,
      async send(event, json) {
        const response = await fetch(
          `http://127.0.0.1:${platform.port}${new URL(url).pathname}`,
          {
            method: "POST",
            headers: { "content-type": "application/json", "x-github-event": event },
            body: JSON.stringify(json),
          },
        );
        const text = await response.text();
        const { headers, status } = response;
        return { status, headers, text, json: JSON.parse(text) };
      },
      async report(id) {
        return (await api("GET", `/v1/deployments/${id}/forge-report`)).json.report;
      },
    });
  }, { allowPrivateUpstreams: true });
}

const last = ({ statuses }: ForgeServer) => statuses.at(-1)?.state;

const ENDS: Readonly<Record<ForgeKind, string>> = {
  github: "success",
  gitea: "success",
  gitlab: "success",
  bitbucket: "SUCCESSFUL",
  "bitbucket-server": "SUCCESSFUL",
};

for (const kind of Object.keys(ENDS) as ForgeKind[]) {
  Deno.test(`${kind}: a pull request has a status and one comment, which track its preview`, () =>
    withForge(kind, async ({ forge, platform, repository, send, report }) => {
      const sha = await repository.commit("menu", { "index.html": "<p>menu</p>" });
      const opened = await send("pull_request", pull("opened"));
      assert.equal(opened.status, 200, JSON.stringify(opened.json));
      assert.equal((await platform.ended(opened)).status, "LIVE");
      await until(() => last(forge), (state) => state === ENDS[kind]);
      assert.ok(forge.statuses.every((status) => status.sha === sha));
      assert.ok(
        new Set(forge.statuses.map(({ state }) => state)).size > 1,
        "the status has changed at least once",
      );
      const [comment] = await until(
        () => [...forge.comments.values()],
        ([first]) => first?.text.includes("is live") === true,
      );
      assert.equal(comment!.pull, 7);
      assert.ok(comment!.text.includes(`http://shop-git-menu.localhost`), comment!.text);

      const next = await repository.commit("menu", { "index.html": "<p>more</p>" });
      const updated = await send("pull_request", pull("synchronize"));
      assert.equal((await platform.ended(updated)).status, "LIVE");
      await until(
        () => [...forge.comments.values()],
        ([first]) =>
          first?.text.includes("is live") === true && first.text.includes(next.slice(0, 7)),
      );
      const shown = await until(
        () => report(updated.json.id),
        (found) => found?.state === "live" && found.isCommented === true,
      );
      assert.deepEqual(
        [shown!.repository, shown!.state, shown!.isCommented, shown!.problem],
        ["ada/shop", "live", true, null],
      );
      await send("pull_request", pull("closed"));
      await until(
        () => [...forge.comments.values()],
        ([first]) => first?.text.includes("was removed") === true,
      );
      assert.equal(forge.comments.size, 1, "the existing comment is updated");
      assert.equal(last(forge), ENDS[kind], "a deleted preview does not mark its commit as failed");
      assert.deepEqual(forge.faults, []);
    }));
}

Deno.test("the comment lists the release's checks when a preview is promoted", () =>
  withForge("github", async ({ forge, platform, repository, send }) => {
    const checks = (body: string) =>
      `[[checks.requests]]\nname = "Start page"\nurl = "/"\nexpect = { body = "${body}" }\n`;
    const text = () => [...forge.comments.values()][0]?.text ?? "";
    const promote = (id: string) => platform.api("POST", `/v1/deployments/${id}/promote`);
    const site = { "index.html": "<p>menu</p>", "svc.toml": checks("menu") };
    const sha = await repository.commit("menu", site);
    const opened = await send("pull_request", pull("opened"));
    assert.equal((await platform.ended(opened)).status, "LIVE");
    await until(text, (shown) => shown.includes("is live"));
    assert.equal((await promote(opened.json.id)).status, 200);
    await until(text, (shown) => shown.includes("Checks before production: all passed."));
    assert.match(text(), /^- Passed: `Start page`$/m);
    assert.ok(text().includes(`The preview of \`${sha.slice(0, 7)}\` is live`), text());

    const wrong = { ...site, "svc.toml": `${checks("none")}[checks]\nretries = 0\n` };
    await repository.commit("menu", wrong);
    const updated = await send("pull_request", pull("synchronize"));
    assert.equal((await platform.ended(updated)).status, "LIVE");
    await until(text, (shown) => shown.includes("is live") && !shown.includes("Checks"));
    assert.equal((await promote(updated.json.id)).status, 409);
    await until(text, (shown) => shown.includes("- Failed: `Start page`"));
    assert.match(text(), /1 of 1 failed\. Production did not change\.$/m);
    assert.equal(forge.comments.size, 1);
    assert.deepEqual(forge.faults, []);
  }));

Deno.test("a pull request opened after the push gets a comment", () =>
  withForge("github", async ({ forge, platform, repository, send }) => {
    await repository.commit("menu", { "index.html": "<p>menu</p>" });
    const push = await send("push", pushed("menu"));
    assert.equal((await platform.ended(push)).status, "LIVE");
    await until(() => last(forge), (state) => state === "success");
    assert.equal(forge.comments.size, 0);
    const opened = await send("pull_request", pull("opened"));
    assert.equal(opened.json.id, push.json.id);
    await until(() => forge.comments.size, (count) => count === 1);
    // Opens a later pull request from the same branch.
    await send("pull_request", pull("closed"));
    await send("pull_request", pull("opened", 8));
    await until(
      () => [...forge.comments.values()].map((each) => each.pull),
      (pulls) => pulls.includes(8),
    );
    assert.deepEqual(forge.faults, []);
  }));

Deno.test("a failing forge does not fail a deployment, but the deployment shows the failure", () =>
  withForge("github", async ({ forge, platform, send, report }) => {
    forge.refuse = () => Response.json({ message: "Forbidden" }, { status: 403 });
    const refused = await send("push", pushed("main"));
    assert.equal((await platform.ended(refused)).status, "LIVE");
    const shown = await until(() => report(refused.json.id), (found) => found !== null);
    assert.match(String(shown!.problem), /^GitHub responded with status 403: the token in/);
    const letters = await platform.api("GET", "/v1/dead-letters");
    assert.deepEqual(letters.json.items, []);

    let failures = 0;
    forge.refuse = () => ++failures > 1 ? undefined : new Response(null, { status: 500 });
    const { json } = await platform.api("POST", `/v1/deployments/${refused.json.id}/redeploy`);
    await until(() => last(forge), (state) => state === "success", 60_000);
    assert.ok(failures > 1);
    await until(
      () => report(json.id),
      (found) => found?.problem === null && found.state === "live",
    );
    const everything = JSON.stringify([
      (await platform.api("GET", `/v1/deployments/${json.id}`)).json,
      (await platform.api("GET", `/v1/deployments/${refused.json.id}/forge-report`)).json,
      (await platform.api("GET", "/v1/projects/shop")).json,
      (await platform.api("GET", `/v1/deployments/${refused.json.id}/build-log`)).json,
    ]);
    assert.ok(!everything.includes(TOKEN));
  }));

Deno.test("a deleted comment is created again, and a comment from before a crash is reused", () =>
  withForge("gitea", async ({ forge, platform, repository, send }) => {
    const project = (await platform.api("GET", "/v1/projects/shop")).json;
    await repository.commit("menu", { "index.html": "<p>menu</p>" });
    forge.comments.set(5, {
      pull: 7,
      version: 0,
      text: `The preview waits\n\n[//]: # (svc preview ${project.id})`,
    });
    await platform.ended(await send("pull_request", pull("opened")));
    await until(() => forge.comments.get(5)!.text, (text) => text.includes("is live"));
    assert.equal(forge.comments.size, 1);
    forge.comments.clear();
    await repository.commit("menu", { "index.html": "<p>more</p>" });
    await platform.ended(await send("pull_request", pull("synchronized")));
    await until(
      () => [...forge.comments.values()],
      ([first]) => first?.text.includes("is live") === true,
    );
    assert.equal(forge.comments.size, 1);
  }));
