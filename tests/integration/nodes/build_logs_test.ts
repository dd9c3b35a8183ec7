/**
 * Tests build logs. The logs of running builds come from the building node. The logs of finished
 * builds must be available even after that node has stopped.
 */
import assert from "node:assert/strict";
import { makeRepository } from "../../../src/lib/_test_git.ts";
import { unusedPort } from "../../../src/lib/unused_port.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { NO_POSTGRES } from "../../../src/platform/core/store/_test_pg.ts";
import { Cluster } from "../../helpers/cluster.ts";
import { textOf } from "../../helpers/git_builds.ts";
import type { TestPlatform } from "../../helpers/platform.ts";

const PATIENCE_MS = 60_000;

async function makeProject({ api, port }: TestPlatform, path: string, buildCommand: string) {
  const settings = { gitUrl: path, buildCommand, outputDirectory: "out" };
  const { json: project } = await api("POST", "/v1/projects", {
    json: { name: "site", ...settings },
  });
  const { json: hook } = await api("POST", "/v1/deploy-hooks", {
    json: { projectId: project.id, name: "test", branch: "main", scope: "All" },
  });
  return {
    id: project.id as string,
    hook: `http://127.0.0.1:${port}${new URL(hook.url).pathname}`,
  };
}

async function trigger(hook: string, commitSha: string): Promise<string> {
  const answer = await fetch(hook, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ branch: "main", commitSha }),
  });
  const json = await answer.json();
  assert.equal(answer.status, 200, JSON.stringify(json));
  return json.id;
}

const logOf = async ({ api }: TestPlatform, id: string) =>
  (await api("GET", `/v1/deployments/${id}/build-log`)).json;

const statusOf = async ({ api }: TestPlatform, id: string) =>
  (await api("GET", `/v1/deployments/${id}`)).json.status;

/** Reads a log stream as text while it arrives. */
async function follow({ url }: TestPlatform, { id, token }: { id: string; token: string }) {
  const answer = await fetch(`${url}/v1/deployments/${id}/build-log/stream`, {
    headers: { authorization: `Bearer ${token}` },
  });
  assert.equal(answer.status, 200);
  const heard = { text: "" };
  const ended = (async () => {
    for await (const part of answer.body!.pipeThrough(new TextDecoderStream())) heard.text += part;
  })();
  return { heard, ended };
}

Deno.test({
  name:
    "every node shows and follows a build's log, even after the node that ran the build has stopped",
  ignore: NO_POSTGRES !== undefined,
  async fn(t) {
    await using cluster = await Cluster.open();
    const repository = await makeRepository(cluster.folder);
    const options = { gitRoots: [cluster.folder], allowPrivateUpstreams: true };
    const a = await cluster.start("a", { ...options, nodeId: "a", builds: { here: "off" } });
    const b = await cluster.start("b", { ...options, nodeId: "b", buildConcurrency: 1 });
    const made = await a.api("POST", "/v1/api-keys", { json: { name: "reader" } });
    const token: string = made.json.key;
    const port = unusedPort();
    const canGoOn =
      `for n in $(seq 600); do (: < /dev/tcp/127.0.0.1/${port}) 2>/dev/null && break; ` +
      "sleep 0.1; done";
    const { id: project, hook } = await makeProject(a, repository.path, "bash build.sh");
    const commit = await repository.commit("main", {
      "build.sh":
        `echo first words; ${canGoOn}; mkdir out; echo x > out/index.html; echo last words`,
    });
    let id = "";

    await t.step(
      "a running build's log can be read and followed on the other node",
      async () => {
        id = await trigger(hook, commit);
        const { heard, ended } = await follow(a, { id, token });
        await until(
          () => Promise.resolve(heard.text.includes("first words")),
          Boolean,
          PATIENCE_MS,
        );
        assert.ok(!heard.text.includes("last words"), "the log arrives while the build is running");
        assert.match(textOf((await logOf(a, id)).lines), /first words/);
        using _ = Deno.listen({ hostname: "127.0.0.1", port });
        await ended;
        assert.match(heard.text, /last words[^]*"isComplete":true/);
        const numbers = [...heard.text.matchAll(/"number":(\d+)/g)].map(([, number]) =>
          Number(number)
        );
        assert.deepEqual(
          numbers,
          numbers.map((_, index) => index + 1),
          "each line arrives once, in order",
        );
      },
    );

    await t.step("both nodes show the same log for a finished build", async () => {
      await until(async () => await statusOf(a, id) === "LIVE");
      const [ofA, ofB] = [await logOf(a, id), await logOf(b, id)];
      assert.match(textOf(ofA.lines), /last words/);
      assert.deepEqual(ofA, ofB);
      assert.equal(ofA.isComplete, true);
    });

    await t.step("the log stays readable after the building node has stopped", async () => {
      assert.equal(await cluster.countRecords("build_logs"), 1);
      await cluster.stop(b);
      const log = await logOf(a, id);
      assert.match(textOf(log.lines), /first words[^]*last words/);
      assert.equal(log.missingNodes, undefined);
    });

    await t.step("the log is deleted with its project", async () => {
      const { status } = await a.api("DELETE", `/v1/projects/${project}`);
      assert.ok(status < 300);
      assert.equal(await cluster.countRecords("build_logs"), 0);
    });
  },
});
