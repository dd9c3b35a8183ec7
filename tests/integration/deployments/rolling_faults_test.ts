/**
 * Tests rolling releases with functions that fail, and with a platform that is stopped or killed.
 */
import assert from "node:assert/strict";
import { inTestFolder } from "../../../src/lib/_test_folder.ts";
import { until } from "../../../src/lib/_test_until.ts";
import {
  createProject,
  deploy,
  processOf,
  start,
  STATIC_MANIFEST,
  type TestPlatform,
  withPlatform,
} from "../../helpers/platform.ts";
import { publish, rule } from "../../helpers/upstreams.ts";

const release = async (platform: TestPlatform) =>
  (await platform.api("GET", "/v1/projects/shop/releases")).json.items[0];

/** Sends requests from new visitors. Returns the deployments that the visitors' cookies select. */
async function welcome(platform: TestPlatform, count: number): Promise<Map<string, string>> {
  const visitors = new Map<string, string>();
  for (let visitor = 0; visitor < count; visitor++) {
    const { headers } = await platform.get("shop.localhost", "/other");
    const [cookie] = /^svc_side=[^;]+/.exec(String(headers["set-cookie"]))!;
    visitors.set(cookie, String(headers["x-svc-deployment"]));
  }
  return visitors;
}

/** A function that fails from its fifth call onward. */
const FAILING = `let calls = 0;
export default () => {
  if (++calls > 4) throw new Error("It begins to fail");
  return new Response("new");
};`;

Deno.test("a release is withdrawn and recorded in the audit log if its functions start to fail", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const old = await publish(platform, "shop", {});
    const request = { url: "/", expect: { body: "new" } };
    const fresh = await publish(platform, "shop", {
      functions: { page: FAILING },
      rules: [rule("page", { type: "pipeline", steps: [{ handle: "page" }] })],
      manifest: {
        ...STATIC_MANIFEST,
        checks: {
          retries: 0,
          requests: ["a", "b", "c"].map((name) => ({ name, ...request })),
        },
      },
      rolling: { steps: [50, 100], everySeconds: 600 },
    });
    assert.deepEqual([fresh.checks.state, fresh.checks.results.length], ["PASSED", 3]);
    const begun = await release(platform);
    assert.deepEqual([begun.state, begun.new.deploymentId], ["RUNNING", fresh.id]);
    assert.deepEqual([begun.new.requests, begun.new.failures], [0, 0]);

    const visitors = await welcome(platform, 30);
    const end = performance.now() + 60_000;
    let state = begun;
    while (state.state === "RUNNING" && performance.now() < end) {
      for (const cookie of visitors.keys()) {
        await platform.get("shop.localhost", "/", { cookie });
      }
      state = await release(platform);
    }
    assert.equal(state.state, "WITHDRAWN", JSON.stringify(state));
    assert.match(state.reason, /responses from the new deployment have status 500 or more/);
    for (const cookie of visitors.keys()) {
      const { status, headers } = await platform.get("shop.localhost", "/", { cookie });
      assert.deepEqual([status, headers["x-svc-deployment"]], [200, old.id]);
    }
    const { json } = await until(
      () => platform.api("GET", "/v1/audit?action=withdrawRelease"),
      ({ json }) => json.items.length > 0,
    );
    const [entry] = json.items;
    assert.deepEqual(
      [json.items.length, entry.project, entry.credential.type, entry.user],
      [1, "shop", "platform", null],
    );
    assert.deepEqual(entry.target, { id: fresh.id, name: "shop" });
    assert.deepEqual(entry.changes, [{ field: "reason", from: null, to: state.reason }]);
  }));

Deno.test("a release continues after the platform is stopped or killed", () =>
  inTestFolder(async (dataDir) => {
    let platform = await start(dataDir);
    try {
      await createProject(platform, "shop");
      const old = await deploy(platform, "shop", { files: { "index.html": "old" } });
      const preview = await deploy(platform, "shop", {
        files: { "index.html": "new" },
        prod: false,
      });
      const promoted = await platform.api("POST", `/v1/deployments/${preview.id}/promote`, {
        json: { rolling: { steps: [50] } },
      });
      const fresh = promoted.json.id;
      const visitors = await welcome(platform, 30);
      assert.deepEqual(new Set(visitors.values()), new Set([old.id, fresh]));
      const { id } = await release(platform);

      for (const how of ["stop", "kill"] as const) {
        if (how === "kill") Deno.kill(processOf(platform), "SIGKILL");
        await platform.shutdown().catch((error) => assert.equal(how, "kill", String(error)));
        platform = await start(dataDir);
        const state = await release(platform);
        assert.deepEqual([state.id, state.state, state.share], [id, "RUNNING", 50], how);
        for (const [cookie, deployment] of visitors) {
          const { headers } = await platform.get("shop.localhost", "/", { cookie });
          assert.equal(headers["x-svc-deployment"], deployment, how);
        }
        for (const [cookie, deployment] of await welcome(platform, 10)) {
          visitors.set(cookie, deployment);
        }
      }
      const finished = await platform.api("POST", "/v1/projects/shop/releases/finish");
      assert.equal(finished.json.state, "FINISHED");
      for (const cookie of visitors.keys()) {
        const { text } = await platform.get("shop.localhost", "/", { cookie });
        assert.equal(text, "new");
      }
    } finally {
      await platform.shutdown();
    }
  }));
