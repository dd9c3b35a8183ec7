/**
 * Kills a platform with `kill -9` while builds are waiting and running. No build may be left
 * unfinished.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { markedProcesses } from "../../src/lib/marked_processes.ts";
import { makeRepository } from "../../src/lib/_test_git.ts";
import { callApi, type Sandbox, withSandbox } from "../helpers/sandbox.ts";
import { until } from "../../src/lib/_test_until.ts";
import { testNeeding } from "../helpers/empty_root.ts";

const test = testNeeding("git", "sh");

const BUILDS = 10;
const PATIENCE_MS = 120_000;
const ENDED = ["LIVE", "FAILED", "STOPPED"];

async function statusOf(box: Sandbox, id: string): Promise<string> {
  return (await callApi(box, "GET", `/v1/deployments/${id}`)).status;
}

const serve = (box: Sandbox) => box.start(["--git-root", box.folder, "--build-concurrency", "3"]);

async function namesIn(folder: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name);
}

test("after a kill, every build stops and leaves no process or folder behind", async () => {
  await withSandbox(async (box) => {
    const repository = await makeRepository(box.folder, "repository");
    await serve(box);
    const triggered: string[] = [];
    for (let index = 0; index < BUILDS; index++) {
      const name = `site-${index}`;
      await callApi(box, "POST", "/v1/projects", {
        name,
        gitUrl: repository.path,
        buildCommand:
          "echo begun; (setsid sleep 654 &) ; sleep 1; mkdir out; echo $SVC_BRANCH > out/index.html",
        outputDirectory: "out",
      });
    }
    const commitSha = await repository.commit("main", { "README.md": "hello" });
    for (let index = 0; index < BUILDS; index++) {
      const { url } = await callApi(box, "POST", "/v1/deploy-hooks", {
        projectId: `site-${index}`,
        name: "ci",
        branch: "main",
        scope: "All",
      });
      const { id } = await callApi(box, "POST", new URL(url).pathname, {
        branch: "main",
        commitSha,
      });
      triggered.push(id);
    }
    const begun = async (id: string) => {
      const { lines } = await callApi(box, "GET", `/v1/deployments/${id}/build-log`);
      return lines.some(({ text }: { text: string }) => text === "begun");
    };
    await until(async () => {
      for (const id of triggered) if (await begun(id)) return true;
      return false;
    });
    await box.platform!.kill();
    // Running builds stop when the platform is killed, before the platform starts again.
    await until(async () => {
      const { stdout } = await new Deno.Command("pgrep", { args: ["-f", "sleep 654"] }).output();
      return stdout.byteLength === 0;
    });
    await serve(box);
    const running: number[] = [];
    for (const id of triggered) running.push(...await markedProcesses(`SVC_DEPLOYMENT_ID=${id}`));
    assert.ok(running.length < 3 * 8, "only restarted builds run");
    for (const id of triggered) {
      await until(() => statusOf(box, id), (status) => ENDED.includes(status), PATIENCE_MS);
      assert.equal(await statusOf(box, id), "LIVE");
    }
    assert.equal((await box.page("site-4.localhost", "/")).text.trim(), "main");
    await until(
      async () => (await namesIn(join(box.dataDir, "builds"))).length === 0,
    );
    const { stdout } = await new Deno.Command("pgrep", { args: ["-f", "sleep 654"] }).output();
    assert.equal(stdout.byteLength, 0);
  });
});
