import assert from "node:assert/strict";
import { signUp, signUpWithWorkspace } from "../../helpers/browser.ts";
import {
  FAILS,
  HANGS,
  type HookPlatform,
  withHooks,
  withHooksOf,
} from "../../helpers/deploy_hooks.ts";
import { TestRunner } from "../../helpers/test_runner.ts";
import { until } from "../../../src/lib/_test_until.ts";

/**
 * Waits until the owner's inbox contains events for a deployment, and returns the events' names.
 */
async function toldOf({ api }: HookPlatform, id: string, awaited: string): Promise<string[]> {
  const events = await until(async () => {
    const { json } = await api("GET", "/v1/notifications?archived=false&limit=100");
    return json.items
      .filter((item: unknown) => JSON.stringify(item).includes(id))
      .map((item: { event: string }) => item.event);
  }, (events: string[]) => events.includes(awaited));
  return events.sort();
}

Deno.test("people are notified once about each stage of a build", () =>
  withHooks(async (platform) => {
    const { api, hook, trigger, ended, setBuildCommand, repository } = platform;
    const allowed = await api("PUT", "/v1/notifications/preferences/category", {
      json: { category: "Deployment", minimumPriority: "LOW" },
    });
    assert.equal(allowed.status, 200, JSON.stringify(allowed.json));
    const body = { branch: "main", commitSha: await repository.git("rev-parse", "main") };
    const { url } = await hook();
    const live = await trigger(url, body);
    await ended(live);
    await trigger(url, body);
    assert.deepEqual(await toldOf(platform, live.json.id, "deployment.live"), [
      "deployment.build_success",
      "deployment.building",
      "deployment.live",
      "deployment.started",
    ]);
    await setBuildCommand(FAILS);
    const failed = await trigger(url, { ...body, force: true });
    await ended(failed);
    assert.deepEqual(await toldOf(platform, failed.json.id, "deployment.build_failed"), [
      "deployment.build_failed",
      "deployment.building",
      "deployment.started",
    ]);
    await setBuildCommand(HANGS);
    const stopped = await trigger(url, { ...body, force: true });
    await api("POST", `/v1/builds/${stopped.json.id}/cancel`);
    await toldOf(platform, stopped.json.id, "deployment.stopped");
  }));

Deno.test("people are notified once about a build with an invalid manifest", () => {
  // The platform runs in this process because the program's builds never create an invalid
  // manifest.
  const runner = new TestRunner();
  return withHooksOf(runner, async (platform) => {
    const { hook, trigger, ended, repository } = platform;
    const commitSha = await repository.git("rev-parse", "main");
    runner.outcomes = [{ type: "built", content: { manifest: {}, files: [], functions: [] } }];
    const invalid = await trigger((await hook()).url, { branch: "main", commitSha });
    assert.match((await ended(invalid)).error, /^Manifest validation failed/);
    const events = await toldOf(platform, invalid.json.id, "deployment.build_failed");
    assert.ok(!events.includes("deployment.failed"), "only one event is raised");
  });
});

Deno.test("a failed build's notification links to a members-only page with the reason", () =>
  withHooks(async (platform) => {
    const { browser: ada } = await signUpWithWorkspace(platform, "ada");
    const inAda = (method: string, path: string, json?: unknown) =>
      ada.send(method, path, { workspace: "ada", ...(json === undefined ? {} : { json }) });
    await inAda("POST", "/v1/projects", {
      name: "blog",
      gitUrl: platform.repository.path,
      buildCommand: `echo '<not there>'; ${FAILS}`,
    });
    const { json: hook } = await inAda("POST", "/v1/deploy-hooks", {
      projectId: "blog",
      name: "ci",
      branch: "main",
      scope: "All",
    });
    const commitSha = await platform.repository.git("rev-parse", "main");
    const failed = await platform.trigger(hook.url, { branch: "main", commitSha });
    await platform.ended(failed);
    const { items } = await until(
      async () => (await ada.send("GET", "/v1/notifications")).json,
      ({ items }) =>
        items.some(({ event }: { event: string }) => event === "deployment.build_failed"),
    );
    const { actionUrl } = items.find(({ event }: { event: string }) =>
      event === "deployment.build_failed"
    );
    assert.equal(actionUrl, `${platform.url}/deployments/${failed.json.id}`);
    const look = async (cookie: string) => {
      const response = await fetch(
        `http://127.0.0.1:${platform.port}${new URL(actionUrl).pathname}`,
        {
          redirect: "manual",
          headers: { cookie },
        },
      );
      return { status: response.status, html: await response.text() };
    };
    const hers = await look(ada.cookie);
    assert.equal(hers.status, 200);
    for (const what of ["&lt;not there&gt;", "Failed", commitSha]) {
      assert.ok(hers.html.includes(what), what);
    }
    const bob = await signUp(platform, "bob");
    assert.equal((await look(bob.cookie)).status, 404);
    assert.equal((await look("")).status, 303, "visitors who are not signed in must sign in first");
  }));

Deno.test("deleting a project deletes its hooks and builds, including running ones", () =>
  withHooks(async ({ api, hook, trigger, setBuildCommand, repository, logged }) => {
    const other = await repository.commit("other", { "index.html": "other" });
    const body = { branch: "main", commitSha: await repository.git("rev-parse", "main") };
    const { url, id } = await hook();
    await setBuildCommand(HANGS);
    const running = await trigger(url, body);
    const waiting = await trigger(url, { branch: "other", commitSha: other });
    assert.deepEqual([running.status, waiting.status], [200, 200]);
    assert.equal((await api("DELETE", "/v1/projects/shop")).status, 204);
    const after = await trigger(url, body);
    assert.deepEqual([after.status, after.json.error], [401, "Invalid token"]);
    assert.equal((await api("GET", `/v1/deploy-hooks/${id}`)).status, 404);
    assert.deepEqual((await api("GET", "/v1/deploy-hooks")).json.items, []);
    for (const { json } of [running, waiting]) {
      assert.equal((await api("GET", `/v1/builds/${json.id}`)).status, 404);
      const path = new URL(json.statusUrl).pathname;
      assert.equal((await api("GET", path, { token: null })).status, 404);
    }
    await api("POST", "/v1/projects", { json: { name: "shop", gitUrl: repository.path } });
    const again = await hook();
    assert.equal(
      (await trigger(again.url, body)).status,
      200,
      "the new project has no running build",
    );
    assert.deepEqual(logged.filter((line) => line.startsWith("error")), []);
  }, { buildConcurrency: 1 }));
