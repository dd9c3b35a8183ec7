/** Forges call a deploy hook with their own payloads, both signed and unsigned. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { until } from "../../../src/lib/_test_until.ts";
import { type HookPlatform, withHooks } from "../../helpers/deploy_hooks.ts";

const SHA = "a".repeat(40);

/** Posts to a hook as a forge would. */
async function deliver(
  { port }: HookPlatform,
  url: string,
  { event, body, secret, headers = {} }: {
    readonly event: string;
    readonly body: unknown;
    readonly secret?: string;
    readonly headers?: Readonly<Record<string, string>>;
  },
) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const signature: Record<string, string> = secret === undefined ? {} : {
    "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(text).digest("hex")}`,
  };
  const response = await fetch(`http://127.0.0.1:${port}${new URL(url).pathname}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-github-event": event,
      ...signature,
      ...headers,
    },
    body: text,
  });
  return { status: response.status, json: await response.json(), headers: response.headers };
}

const pushed = (branch: string) => ({ ref: `refs/heads/${branch}`, after: SHA });
const pullRequest = (action: string, state: "open" | "closed", branch = "menu") => ({
  action,
  number: 7,
  pull_request: {
    state,
    head: { ref: branch, repo: { full_name: "ada/site" } },
    base: { ref: "main", repo: { full_name: "ada/site" } },
  },
});

Deno.test("a pull request has a preview until it is closed, and a push to main goes live", () =>
  withHooks(async (platform) => {
    const { hook, ended, repository, api } = platform;
    const { url, secret, signed } = await hook({ signed: true });
    assert.equal(signed, true);
    assert.match(secret, /^[0-9a-f]{64}$/);
    const send = (event: string, body: unknown) => deliver(platform, url, { event, body, secret });
    assert.deepEqual((await send("ping", { zen: "Keep it simple" })).json, {
      message: "GitHub: The hook works",
    });
    const main = await send("push", pushed("main"));
    assert.deepEqual([main.status, main.json.isPreview], [200, false]);
    assert.equal((await ended(main)).status, "LIVE");

    const head = await repository.commit("menu", { "index.html": "<p>menu</p>" });
    const opened = await send("pull_request", pullRequest("opened", "open"));
    assert.deepEqual([opened.json.isPreview, opened.json.commitSha], [true, head]);
    assert.equal((await ended(opened)).status, "LIVE");
    const again = await send("push", pushed("menu"));
    assert.equal(again.json.id, opened.json.id, "the pushed commit is built only once");

    const closed = await send("pull_request", pullRequest("closed", "closed"));
    assert.deepEqual([closed.status, closed.json.message], [
      202,
      "GitHub: The preview of 'menu' was removed",
    ]);
    const path = `/v1/deployments/${opened.json.id}`;
    assert.equal((await api("GET", path)).json.status, "STOPPED");
    const reopened = await send("pull_request", pullRequest("reopened", "open"));
    assert.equal((await ended(reopened)).status, "LIVE");
    const replayed = await send("pull_request", pullRequest("closed", "closed"));
    assert.equal(replayed.json.message, "GitHub: This event was already delivered");
    const { json } = await api("GET", `/v1/deployments/${reopened.json.id}`);
    assert.equal(json.status, "LIVE");
  }));

Deno.test("events from another repository neither start nor stop anything, regardless of the forge", () =>
  withHooks(async (platform) => {
    const { hook, ended, repository, api } = platform;
    const { url } = await hook();
    await repository.commit("menu", { "index.html": "<p>menu</p>" });
    const preview = await deliver(platform, url, {
      event: "push",
      body: { ...pushed("menu"), repository: { full_name: "ada/site" } },
    });
    assert.equal((await ended(preview)).status, "LIVE");
    const full = { full_name: "eve/other", clone_url: "https://github.com/eve/other.git" };
    const gone = { ref: "refs/heads/menu", after: "0".repeat(40) };
    const lab = { path_with_namespace: "eve/other" };
    const branch = { branch: { name: "menu" }, repository: full };
    const rows: readonly (readonly [field: string, event: string, body: object])[] = [
      ["x-github-event", "push", { ...gone, deleted: true, repository: full }],
      ["x-github-event", "delete", { ref: "menu", ref_type: "branch", repository: full }],
      ["x-github-event", "pull_request", {
        action: "closed",
        pull_request: {
          state: "closed",
          head: { ref: "menu", repo: full },
          base: { ref: "main", repo: full },
        },
      }],
      ["x-gitea-event", "push", { ...gone, repository: full }],
      ["x-forgejo-event", "push", { ...pushed("menu"), repository: full }],
      ["x-gitlab-event", "Push Hook", { ...gone, project: lab }],
      ["x-gitlab-event", "Merge Request Hook", {
        project: lab,
        object_attributes: {
          state: "merged",
          source_branch: "menu",
          source_project_id: 1,
          target_project_id: 1,
        },
      }],
      ["x-event-key", "repo:push", {
        repository: full,
        push: { changes: [{ new: null, old: { type: "branch", name: "menu" } }] },
      }],
      ["x-event-key", "pullrequest:fulfilled", {
        pullrequest: { id: 1, state: "MERGED", source: branch, destination: branch },
      }],
      ["x-event-key", "repo:refs_changed", {
        repository: { slug: "other", project: { key: "EVE" } },
        changes: [{ refId: "refs/heads/menu", type: "DELETE" }],
      }],
    ];
    for (const [field, event, body] of rows) {
      const answer = await deliver(platform, url, { event, body, headers: { [field]: event } });
      assert.equal(answer.status, 202, event);
      assert.match(
        answer.json.message,
        /Ignored an event from eve\/other: project shop is built from/i,
      );
    }
    const { json } = await api("GET", `/v1/deployments/${preview.json.id}`);
    assert.equal(json.status, "LIVE");
  }));

Deno.test("a push of many branches deploys production, and reports what it ignores", () =>
  withHooks(async (platform) => {
    const { hook } = platform;
    const { url } = await hook();
    const branches = [...Array.from({ length: 11 }, (_, n) => `gone-${n}`), "main"];
    const changes = branches.map((name) => ({ new: { type: "branch", name }, old: null }));
    const { status, json } = await deliver(platform, url, {
      event: "repo:push",
      body: { push: { changes } },
      headers: { "x-event-key": "repo:push" },
    });
    assert.equal(status, 202);
    assert.match(json.message, /gone-0: .*gone-8: /);
    assert.doesNotMatch(json.message, /gone-9/);
    assert.match(json.message, /A push deploys at most 10 branches\. Ignored 2 changes/);
    await until(
      () => platform.api("GET", "/v1/projects/shop"),
      (answer) => answer.json.productionDeploymentId !== null,
    );
  }));
