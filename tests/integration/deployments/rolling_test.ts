import assert from "node:assert/strict";
import { makeTestFolder } from "../../../src/lib/_test_folder.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { runTool } from "../../helpers/tool.ts";
import { NODE_MAJOR } from "../../helpers/compute_server.ts";
import { createProject, deploy, type TestPlatform, withPlatform } from "../../helpers/platform.ts";

const LAYERS = {
  version: 1,
  layers: [{
    name: "server",
    target: "COMPUTE",
    directory: ".",
    entry: "server.mjs",
    runtime: { engine: "node", nodeVersion: NODE_MAJOR, timeoutMs: 30_000 },
  }],
  routes: [{ pattern: "^/.*$", layer: "server" }],
};

/** Returns the files of a server that fails after `failsFrom` requests. */
const server = (name: string, failsFrom = Infinity) => ({
  "package.json": JSON.stringify({ name: "shop", type: "module" }),
  "server.mjs": `
import { createServer } from "node:http";
let count = 0;
createServer((request, response) => {
  if (request.url === "/" && ++count >= ${failsFrom}) response.statusCode = 500;
  response.end("${name} " + (request.headers.cookie ?? "none"));
}).listen(Number(process.env.PORT), process.env.HOST);
`,
});

const release = async (platform: TestPlatform) =>
  (await platform.api("GET", "/v1/projects/shop/releases")).json.items[0];

/** Deploys to production in steps. */
async function roll(
  platform: TestPlatform,
  files: Record<string, string>,
  rolling: unknown,
): Promise<string> {
  const preview = await deploy(platform, "shop", {
    files,
    manifest: LAYERS,
    prod: false,
    branch: "next",
  });
  const promoted = await platform.api("POST", `/v1/deployments/${preview.id}/promote`, {
    json: { rolling },
  });
  assert.equal(promoted.status, 200, JSON.stringify(promoted.json));
  return promoted.json.id;
}

const cookieOf = (headers: Record<string, string | string[] | undefined>): string =>
  /^svc_side=[^;]+/.exec(String(headers["set-cookie"]))![0];

Deno.test("a release that starts to fail is withdrawn without affecting the old version's visitors", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const old = await deploy(platform, "shop", { files: server("old"), manifest: LAYERS });
    const first = await platform.get("shop.localhost", "/");
    assert.deepEqual([first.status, first.headers["set-cookie"]], [200, undefined]);

    const fresh = await roll(platform, server("new", 5), { steps: [25, 100], everySeconds: 60 });
    const begun = await release(platform);
    assert.deepEqual([begun.state, begun.share, begun.new.deploymentId], ["RUNNING", 25, fresh]);

    // Each visitor continues to see the deployment that sent the visitor's first response.
    const cookies = new Map<string, string>();
    for (let visitor = 0; visitor < 60; visitor++) {
      const { headers } = await platform.get("shop.localhost", "/other");
      const cookie = cookieOf(headers);
      cookies.set(cookie, String(headers["x-svc-deployment"]));
      assert.match(String(headers["cache-control"]), /private/);
    }
    assert.deepEqual(new Set(cookies.values()), new Set([old.id, fresh]));
    const [some] = cookies.keys();
    const seen = await platform.get("shop.localhost", "/other", { cookie: `${some}; own=1` });
    assert.match(seen.text, / own=1$/);
    assert.doesNotMatch(seen.text, /svc_side/);
    // The platform evaluates a failing release every two seconds.
    const end = performance.now() + 30_000;
    let state = begun;
    while (state.state === "RUNNING" && performance.now() < end) {
      for (const [cookie, deployment] of cookies) {
        const { headers, status, text } = await platform.get("shop.localhost", "/", {
          cookie: `${cookie}; own=1`,
        });
        const shown = String(headers["x-svc-deployment"]);
        if (deployment === old.id) {
          assert.deepEqual([status, shown, text.split(" ")[0]], [200, old.id, "old"]);
        } else if (shown === fresh) assert.equal(headers["set-cookie"], undefined);
      }
      state = await release(platform);
    }
    assert.equal(state.state, "WITHDRAWN", JSON.stringify(state));
    assert.match(state.reason, /responses from the new deployment have status 500 or more/);
    for (const cookie of cookies.keys()) {
      const { status, headers } = await platform.get("shop.localhost", "/", { cookie });
      assert.deepEqual([status, headers["x-svc-deployment"]], [200, old.id]);
    }
    const { json: deployment } = await platform.api("GET", `/v1/deployments/${fresh}`);
    assert.deepEqual([deployment.status, deployment.error], ["ROLLED_BACK", state.reason]);
    await until(
      () => platform.api("GET", "/v1/notifications"),
      ({ json: inbox }) => /deployment\.withdrawn/.test(JSON.stringify(inbox)),
    );
  }));

Deno.test("a release advances automatically until it is ended or production changes", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const files = (text: string) => ({ "index.html": text });
    const first = await deploy(platform, "shop", { files: files("one") });
    const shown = async () =>
      (await platform.get("shop.localhost", "/")).headers["x-svc-deployment"];
    const promote = async (text: string, rolling: unknown) => {
      const preview = await deploy(platform, "shop", {
        files: files(text),
        prod: false,
        branch: text,
      });
      return await platform.api("POST", `/v1/deployments/${preview.id}/promote`, {
        json: { rolling },
      });
    };
    const folder = await makeTestFolder("svc-rolling-");
    await Deno.writeTextFile(`${folder}/index.html`, "two");
    const tool = { port: platform.port, home: folder, cwd: folder };
    const flags = ["--project-id", "shop"];
    const second = await runTool(
      ["deploy", "--prod", "--rolling", "50,100", "--every", "1s", ...flags],
      tool,
    );
    await until(() => release(platform), ({ state }) => state === "FINISHED");
    assert.equal(await shown(), second.id);
    const { releases } = await runTool(["releases", ...flags], tool);
    assert.deepEqual(
      [releases[0].new.deploymentId, releases[0].share, releases[0].reason],
      [second.id, 100, "All steps passed"],
    );
    await Deno.remove(folder, { recursive: true });

    const third = await promote("three", { steps: [1] });
    const refused = await promote("four", { steps: [1] });
    assert.equal(refused.status, 409);
    assert.match(refused.json.error, /rolling release is under way/);
    const finished = await platform.api("POST", "/v1/projects/shop/releases/finish");
    assert.deepEqual([finished.status, finished.json.state], [200, "FINISHED"]);
    assert.equal(await shown(), third.json.id);

    await promote("five", { steps: [100] });
    const back = await platform.api("POST", "/v1/projects/shop/rollback", { json: {} });
    assert.equal(back.json.deployment.id, third.json.id, JSON.stringify(back.json));
    assert.equal((await release(platform)).state, "WITHDRAWN");
    assert.equal(await shown(), third.json.id);

    await promote("six", { steps: [100] });
    const direct = await deploy(platform, "shop", { files: files("seven") });
    assert.equal((await release(platform)).state, "ENDED");
    assert.equal(await shown(), direct.id);
    assert.notEqual(first.id, direct.id);
    const none = await platform.api("POST", "/v1/projects/shop/releases/withdraw");
    assert.equal(none.status, 409);
  }));
