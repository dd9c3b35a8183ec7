import assert from "node:assert/strict";
import { until } from "../../../src/lib/_test_until.ts";
import { makeRepository } from "../../../src/lib/_test_git.ts";
import {
  FAILS,
  HANGS,
  MAKES_PAGE,
  RUNNER_CONCURRENCY,
  startHooks,
  withHooks,
  withHooksOf,
} from "../../helpers/deploy_hooks.ts";
import { TestRunner } from "../../helpers/test_runner.ts";

Deno.test("triggering the same commit again returns the existing deployment unless forced", () =>
  withHooks(async ({ hook, trigger, ended, setBuildCommand, repository }) => {
    const commitSha = await repository.git("rev-parse", "main");
    const { url } = await hook();
    const body = { branch: "main", commitSha };
    const first = await trigger(url, body);
    await ended(first);
    const again = await trigger(url, { ...body, commitSha: commitSha.slice(0, 10) });
    assert.deepEqual([again.status, again.json.id], [200, first.json.id]);
    assert.equal(again.json.status, "LIVE");
    await Deno.rename(repository.path, `${repository.path}.away`);
    assert.equal(
      (await trigger(url, body)).json.id,
      first.json.id,
      "the deployment of a live commit is found without the repository",
    );
    await Deno.rename(`${repository.path}.away`, repository.path);
    const forced = await trigger(url, { ...body, force: true });
    assert.notEqual(forced.json.id, first.json.id);
    await ended(forced);
    await setBuildCommand(FAILS);
    const failing = await trigger(url, { ...body, force: true });
    const failed = await ended(failing);
    assert.equal(failed.status, "FAILED");
    assert.match(failed.error, /^Build failed: `exit 3` exited with code 3/);
    await setBuildCommand(MAKES_PAGE);
    const retried = await trigger(url, body);
    assert.notEqual(retried.json.id, failing.json.id, "a failed commit is built again");
    assert.equal((await ended(retried)).status, "LIVE");
  }));

Deno.test("a commit that is no longer live is deployed again once", () =>
  withHooks(async ({ hook, trigger, ended, shows, api, setBuildCommand, repository }) => {
    const older = await repository.git("rev-parse", "main");
    const newer = await repository.commit("main", { "index.html": "<p>two</p>" });
    const { url } = await hook();
    const deploy = async (commitSha: string) => {
      const answer = await trigger(url, { branch: "main", commitSha });
      await ended(answer);
      return answer.json.id;
    };
    const first = await deploy(older);
    const second = await deploy(newer);
    const reverts = await Promise.all(
      [1, 2, 3].map(() => trigger(url, { branch: "main", commitSha: older })),
    );
    const reverted = reverts[0]!.json.id;
    assert.notEqual(reverted, first, "the older commit is deployed again");
    assert.deepEqual(reverts.map(({ json }) => json.id), [reverted, reverted, reverted]);
    await ended(reverts[0]!);
    await shows("shop.localhost", `<p>main ${older}</p>`);
    assert.equal(await deploy(older), reverted, "the reverted commit is live");
    await api("POST", "/v1/projects/shop/rollback");
    await shows("shop.localhost", `<p>main ${newer}</p>`);
    assert.equal(await deploy(newer), second, "the rollback makes the newer commit live");
    await setBuildCommand(FAILS);
    const failed = await deploy(older);
    assert.notEqual(failed, reverted, "a commit that was rolled back is deployed again");
    await api("POST", "/v1/projects/shop/rollback", { json: { to: first } });
    assert.equal(
      await deploy(older),
      first,
      "the live deployment is returned although a later one has failed",
    );
  }));

Deno.test("a preview's branch can be reverted to an earlier commit", () =>
  withHooks(async ({ hook, trigger, ended, repository }) => {
    const older = await repository.commit("menu", { "index.html": "one" });
    const newer = await repository.commit("menu", { "index.html": "two" });
    const { url } = await hook({ scope: "Preview" });
    const deploy = async (commitSha: string) => {
      const answer = await trigger(url, { branch: "menu", commitSha });
      assert.equal((await ended(answer)).status, "LIVE");
      return answer.json.id;
    };
    const first = await deploy(older);
    assert.equal(await deploy(older), first);
    await deploy(newer);
    assert.notEqual(await deploy(older), first);
  }));

Deno.test("a preview of a commit is not its production deployment", () =>
  withHooks(async ({ hook, trigger, ended, repository }) => {
    const body = { branch: "main", commitSha: await repository.git("rev-parse", "main") };
    const preview = await trigger((await hook({ scope: "Preview" })).url, body);
    await ended(preview);
    const production = await trigger((await hook({ scope: "Production" })).url, body);
    assert.notEqual(production.json.id, preview.json.id);
    assert.equal(production.json.isPreview, false);
  }));

Deno.test("50 simultaneous identical triggers create one deployment and one build", () =>
  withHooks(async ({ api, hook, trigger, ended, repository }) => {
    const body = { branch: "main", commitSha: await repository.git("rev-parse", "main") };
    const urls = [(await hook()).url, (await hook({ name: "second" })).url];
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => trigger(urls[index % 2]!, body)),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    assert.equal(new Set(answers.map(({ json }) => json.id)).size, 1);
    await ended(answers[0]!);
    for (const list of ["builds", "deployments"]) {
      assert.equal((await api("GET", `/v1/projects/shop/${list}`)).json.items.length, 1, list);
    }
    const uses = (await api("GET", "/v1/deploy-hooks")).json.items
      .map((item: { triggeredCount: number }) => item.triggeredCount);
    assert.deepEqual(uses, [25, 25]);
  }));

Deno.test("a trigger for a branch that is building another commit gets a conflict that names it", () =>
  withHooks(async ({ api, hook, trigger, buildIs, ended, setBuildCommand, repository }) => {
    const [one, two] = [
      await repository.git("rev-parse", "main"),
      await repository.commit("main", { "index.html": "<p>two</p>" }),
    ];
    const { url } = await hook();
    await setBuildCommand(HANGS);
    const first = await trigger(url, { branch: "main", commitSha: one });
    for (const force of [false, true]) {
      const second = await trigger(url, { branch: "main", commitSha: two, force });
      assert.deepEqual([second.status, second.json.code], [409, "conflict"]);
      assert.ok(second.json.error.includes(first.json.id), second.json.error);
      assert.ok(Number(second.headers.get("retry-after")) > 0);
    }
    await setBuildCommand(MAKES_PAGE);
    await api("POST", `/v1/builds/${first.json.id}/cancel`);
    await buildIs(first, "CANCELLED");
    assert.equal(
      (await ended(await trigger(url, { branch: "main", commitSha: two }))).status,
      "LIVE",
    );
  }));

Deno.test("a hook accepts 30 triggers per minute", () =>
  withHooks(async ({ hook, trigger }) => {
    const { url } = await hook();
    const statuses: number[] = [];
    for (let count = 0; count < 32; count++) {
      const answer = await trigger(url, {});
      statuses.push(answer.status);
      assert.equal(answer.headers.get("ratelimit-policy"), '"hook";q=30;w=60');
      if (answer.status !== 429) continue;
      assert.equal(answer.json.code, "rate_limited");
      const wait = Number(answer.headers.get("retry-after"));
      assert.ok(wait >= 1 && wait <= 60, String(wait));
    }
    assert.equal(statuses.indexOf(429), 30);
    const other = await hook({ name: "other" });
    assert.equal((await trigger(other.url, {})).status, 400, "each hook has its own limit");
  }));

Deno.test("an Idempotency-Key returns the same deployment and refuses a different body", () =>
  withHooks(async ({ hook, trigger, ended, repository }) => {
    const body = {
      branch: "main",
      commitSha: await repository.git("rev-parse", "main"),
      force: true,
    };
    const { url } = await hook();
    const send = (key: string, json: unknown) =>
      trigger(url, json, { headers: { "idempotency-key": key } });
    const answers = await Promise.all(Array.from({ length: 8 }, () => send("release-1", body)));
    assert.equal(
      new Set(answers.map(({ json }) => json.id)).size,
      1,
      "forced triggers with the same key create one deployment",
    );
    await ended(answers[0]!);
    assert.equal((await send("release-1", body)).json.id, answers[0]!.json.id);
    assert.notEqual((await send("release-2", body)).json.id, answers[0]!.json.id);
    const changed = await send("release-1", { ...body, message: "other" });
    assert.deepEqual([changed.status, changed.json.code], [409, "conflict"]);
    assert.match(changed.json.error, /a different body/);
    assert.equal((await send("x".repeat(256), body)).status, 400);
    assert.equal((await send("not ok", body)).status, 400);
  }));

Deno.test("200 simultaneous triggers are built once each, in order, and a few at a time", () => {
  // The platform runs in this process because the test delays builds and counts parallel ones.
  const runner = new TestRunner();
  return withHooksOf(runner, async ({ api, hook, trigger, ended, repository }) => {
    const branches = Array.from({ length: 10 }, (_, index) => `b${index}`);
    const commits = new Map<string, string>();
    for (const branch of branches) {
      await repository.git("checkout", "--quiet", "main");
      commits.set(branch, await repository.commit(branch, { "index.html": branch }));
    }
    const hooks: string[] = [];
    for (let index = 0; index < 20; index++) {
      const name = `p${index}`;
      await api("POST", "/v1/projects", { json: { name, gitUrl: repository.path } });
      hooks.push((await hook({ projectId: name })).url);
    }
    runner.shut();
    const answers = await Promise.all(
      branches.flatMap((branch) =>
        hooks.map((url) => trigger(url, { branch, commitSha: commits.get(branch) }))
      ),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    runner.open();
    // Waits for one build after another, because all of them together can take longer than the
    // maximum waiting time.
    for (let begun = 0; begun < answers.length; begun++) {
      const job = await until(() => runner.jobs[begun]);
      const answer = answers.find(({ json }) => json.id === job!.deploymentId);
      assert.equal((await ended(answer!)).status, "LIVE");
    }
    assert.equal(runner.jobs.length, 200);
    assert.equal(new Set(runner.jobs.map(({ deploymentId }) => deploymentId)).size, 200);
    assert.ok(runner.busiest <= RUNNER_CONCURRENCY, String(runner.busiest));
    for (let index = 0; index < 20; index++) {
      const { json } = await api("GET", `/v1/projects/p${index}/builds?limit=100`);
      const queued = json.items.map((build: { id: string; queuedAt: string }) => build)
        .sort((a: { queuedAt: string }, b: { queuedAt: string }) =>
          a.queuedAt < b.queuedAt ? -1 : 1
        );
      // The first two builds started immediately, while other builds were still being queued.
      const begun = runner.jobs.slice(2)
        .filter(({ projectId }) => projectId === queued[0].projectId);
      const times = new Map<string, string>(
        queued.map((build: { id: string; queuedAt: string }) => [build.id, build.queuedAt]),
      );
      const order = begun.map(({ deploymentId }) => times.get(deploymentId)!);
      assert.deepEqual(order, [...order].sort(), `p${index} is built in the order of its triggers`);
    }
  });
});

Deno.test("waiting and running builds can be canceled, or stopped as deployments", () =>
  withHooks(async ({ api, hook, trigger, ended, buildIs, setBuildCommand, repository }) => {
    const main = await repository.git("rev-parse", "main");
    const other = await repository.commit("other", { "index.html": "other" });
    const third = await repository.commit("third", { "index.html": "third" });
    const { url } = await hook();
    await setBuildCommand(HANGS);
    const running = await trigger(url, { branch: "main", commitSha: main });
    await buildIs(running, "RUNNING");
    const waiting = await trigger(url, { branch: "other", commitSha: other });
    const stopped = await trigger(url, { branch: "third", commitSha: third });
    const show = async (id: string) => (await api("GET", `/v1/builds/${id}`)).json;
    assert.deepEqual(
      [(await show(running.json.id)).state, (await show(waiting.json.id)).state],
      ["RUNNING", "QUEUED"],
    );
    assert.deepEqual([(await show(waiting.json.id)).ahead, (await show(stopped.json.id)).ahead], [
      1,
      2,
    ]);
    const cancelled = await api("POST", `/v1/builds/${waiting.json.id}/cancel`);
    assert.equal(cancelled.json.state, "CANCELLED");
    assert.equal((await ended(waiting)).status, "STOPPED");
    await api("POST", `/v1/builds/${running.json.id}/cancel`);
    assert.equal((await ended(running)).status, "STOPPED");
    await api("POST", `/v1/deployments/${stopped.json.id}/stop`);
    assert.equal((await ended(stopped)).status, "STOPPED");
    const twice = await api("POST", `/v1/builds/${waiting.json.id}/cancel`);
    assert.equal(twice.status, 409);
    await setBuildCommand(MAKES_PAGE);
    const again = await trigger(url, { branch: "other", commitSha: other });
    assert.notEqual(again.json.id, waiting.json.id, "a canceled build can be triggered again");
    assert.equal((await ended(again)).status, "LIVE");
  }, { buildConcurrency: 1 }));

Deno.test("waiting and running builds continue after a restart", async () => {
  const folder = await Deno.makeTempDir({ prefix: "svc-hooks-" });
  const repository = await makeRepository(folder);
  const main = await repository.commit("main", { "index.html": "main" });
  const other = await repository.commit("other", { "index.html": "other" });
  const first = await startHooks({ folder, repository }, { buildConcurrency: 1 });
  await first.api("POST", "/v1/projects", {
    json: {
      name: "shop",
      gitUrl: repository.path,
      buildCommand: HANGS,
      outputDirectory: "out",
    },
  });
  const { url } = await first.hook();
  const answers = [
    await first.trigger(url, { branch: "main", commitSha: main }),
    await first.trigger(url, { branch: "other", commitSha: other }),
  ];
  await first.buildIs(answers[0]!, "RUNNING");
  await first.setBuildCommand(MAKES_PAGE);
  await first.shutdown();
  const second = await startHooks({ folder, repository }, { buildConcurrency: 1 });
  for (const answer of answers) assert.equal((await second.ended(answer)).status, "LIVE");
  // A deployment is live a moment before the build's record shows that.
  const states = await until(async () => {
    const { json } = await second.api("GET", "/v1/projects/shop/builds");
    return json.items.map(({ state }: { readonly state: string }) => state);
  }, (found: readonly string[]) => !found.includes("RUNNING"));
  assert.deepEqual(states, ["SUCCEEDED", "SUCCEEDED"]);
  await second.shutdown();
  await Deno.remove(folder, { recursive: true });
});
