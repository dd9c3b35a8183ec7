import assert from "node:assert/strict";
import { join } from "node:path";
import { makeTestFolder } from "../../../src/lib/_test_folder.ts";
import { runCli } from "../../../src/cli/_test_run.ts";
import { withBuilds } from "../../helpers/git_builds.ts";
import {
  create,
  createProject,
  deploy,
  STATIC_MANIFEST,
  type TestPlatform,
  TOKEN,
  upload,
  withPlatform,
} from "../../helpers/platform.ts";
import { runTool } from "../../helpers/tool.ts";

const site = (text: string) => ({ "index.html": `<p>${text}</p>` });

const checking = (body: string, more: Record<string, unknown> = {}) => ({
  ...STATIC_MANIFEST,
  checks: { retries: 0, requests: [{ name: "Start page", url: "/", expect: { body } }], ...more },
});

/** Uploads a deployment and activates it. Returns its ID and the response. */
async function release(platform: TestPlatform, text: string, manifest: unknown) {
  const files = site(text);
  const created = await create(platform, "shop", { files, manifest });
  await upload(platform, files);
  const { id } = created.json.deployment;
  return { id, ...await platform.api("POST", `/v1/deployments/${id}/activate`) };
}

Deno.test("production switches only to a deployment that passes its checks, even if previews are protected", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await platform.api("PATCH", "/v1/projects/shop/previews", { json: { protection: "members" } });
    await deploy(platform, "shop", { files: site("one") });

    const good = await release(platform, "two", checking("two"));
    assert.equal(good.status, 200, JSON.stringify(good.json));
    assert.equal(good.json.checks.state, "PASSED");
    assert.equal((await platform.get("shop.localhost", "/")).text, "<p>two</p>");

    const bad = await release(platform, "three", checking("four"));
    assert.equal(bad.status, 409);
    assert.match(bad.json.error, /^1 of 1 checks failed: Start page: Expected "four" in the body/);
    const failed = await platform.api("GET", `/v1/deployments/${bad.id}`);
    assert.deepEqual([failed.json.status, failed.json.checks.state], ["FAILED", "FAILED"]);
    assert.equal(failed.json.checks.results[0].problem, 'Expected "four" in the body');
    assert.equal((await platform.get("shop.localhost", "/")).text, "<p>two</p>");
    assert.equal((await platform.get(new URL(failed.json.url).hostname, "/")).status, 404);

    const silent = await release(platform, "five", checking("five", { commands: ["true"] }));
    assert.match(silent.json.error, /true: The command did not run/);

    // A promoted preview has no folder in which commands could run, but its request checks run.
    const manifest = checking("six", { commands: ["true"] });
    const preview = await deploy(platform, "shop", { files: site("six"), manifest, prod: false });
    assert.equal(preview.checks, undefined);
    const promoted = await platform.api("POST", `/v1/deployments/${preview.id}/promote`);
    assert.deepEqual([promoted.status, promoted.json.checks.results.length], [200, 1]);
  }));

Deno.test("svc deploy runs the commands against the deployment's own URL, and lists all checks", () =>
  withPlatform(async (platform) => {
    const folder = await makeTestFolder("svc-checks-");
    await createProject(platform, "shop");
    await platform.api("PATCH", "/v1/projects/shop/previews", { json: { protection: "members" } });
    const write = (name: string, text: string) => Deno.writeTextFile(join(folder, name), text);
    await write("index.html", "<p>one</p>");
    await write(
      "check.sh",
      `curl --silent --fail --header "x-svc-bypass: $SVC_CHECK_BYPASS" "$SVC_CHECK_URL/" | grep "$1"`,
    );
    const configure = (wanted: string) =>
      write(
        "svc.toml",
        `[project]\nname = "shop"\n[checks]\ncommands = ["sh check.sh ${wanted}"]\n` +
          `[[checks.requests]]\nname = "Start page"\nurl = "/"\nexpect = { status = 200 }\n`,
      );
    await configure("one");
    const options = { port: platform.port, home: folder, cwd: folder };
    const deployed = await runTool(["deploy", "--prod", "--project-id", "shop"], options);
    assert.deepEqual(
      deployed.checks.results.map(({ kind, passed }: Record<string, unknown>) => [kind, passed]),
      [["request", true], ["command", true]],
    );
    await configure("two");
    const { code, stderr } = await runCli(["deploy", "--prod", "--project-id", "shop"], {
      fetch,
      cwd: folder,
      now: () => Date.now(),
      env: { SVC_API_URL: `http://127.0.0.1:${platform.port}`, SVC_TOKEN: TOKEN, HOME: folder },
    });
    assert.notEqual(code, 0);
    assert.match(stderr, /1 of 2 checks failed: sh check\.sh two: It exited with code 1/);
    assert.match(stderr, /passed {2}Start page/);
    assert.equal((await platform.get("shop.localhost", "/")).text, "<p>one</p>");
    await Deno.remove(folder, { recursive: true });
  }));

Deno.test("a build from git runs its checks' commands in its sandbox", () =>
  withBuilds(async (platform) => {
    const { hook } = await platform.project("shop");
    const files = (wanted: string) => ({
      "index.html": "<p>one</p>",
      "svc.toml": `[checks]\ncommands = ["sh check.sh ${wanted}"]\n`,
      "check.sh": 'curl --silent --fail "$SVC_CHECK_URL/" | grep "$1"\n',
    });
    const good = await platform.build(hook, files("one"));
    assert.deepEqual([good.status, good.error], ["LIVE", null]);
    const bad = await platform.build(hook, files("two"));
    assert.equal(bad.status, "FAILED");
    assert.match(bad.error ?? "", /1 of 1 checks failed: sh check\.sh two: It exited with code 1/);
    assert.equal(
      (await platform.get("shop.localhost", "/")).headers["x-svc-deployment"],
      good.id,
    );
  }));
