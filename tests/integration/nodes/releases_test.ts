/**
 * Tests a rolling release on several nodes. A visitor must see the same deployment on every node,
 * and failures that one node counts must roll back the release on all nodes. `CLUSTER_TESTS=all`
 * uses three nodes.
 */
import assert from "node:assert/strict";
import { until } from "../../../src/lib/_test_until.ts";
import { NO_POSTGRES } from "../../../src/platform/core/store/_test_pg.ts";
import { Cluster } from "../../helpers/cluster.ts";
import { IS_LONG } from "../../helpers/machines/machines.ts";
import { createProject, deploy } from "../../helpers/platform.ts";

const NAMES = IS_LONG ? ["a", "b", "c"] : ["a", "b"];

Deno.test({
  name: "all nodes choose the same deployment for a visitor, and one node's failures withdraw it",
  ignore: NO_POSTGRES !== undefined,
  async fn() {
    await using cluster = await Cluster.open();
    const nodes = [];
    for (const name of NAMES) nodes.push(await cluster.start(name, { nodeId: name }));
    const [first, last] = [nodes[0]!, nodes.at(-1)!];
    await createProject(first, "shop");
    const files = {
      "index.html": "home",
      "page.html": "a page that is missing from the new deployment",
    };
    const old = await deploy(first, "shop", { files });
    const preview = await deploy(first, "shop", { files: { "index.html": "home" }, prod: false });
    const promoted = await first.api("POST", `/v1/deployments/${preview.id}/promote`, {
      json: { rolling: { steps: [50] } },
    });
    assert.equal(promoted.status, 200, JSON.stringify(promoted.json));
    const fresh = promoted.json.id;
    const stateAt = async (node: typeof first) =>
      (await node.api("GET", "/v1/projects/shop/releases")).json.items[0];
    const ask = (node: typeof first, path: string, cookie?: string) =>
      node.get("shop.localhost", path, cookie === undefined ? {} : { cookie });
    await until(async () => (await ask(last, "/")).headers["set-cookie"] !== undefined);

    const visitors = new Map<string, unknown>();
    for (let visitor = 0; visitor < 40; visitor++) {
      const { headers } = await ask(last, "/");
      const [cookie] = /^svc_side=[^;]+/.exec(String(headers["set-cookie"]))!;
      visitors.set(cookie, headers["x-svc-deployment"]);
    }
    assert.deepEqual(new Set(visitors.values()), new Set([old.id, fresh]));
    for (const node of nodes) {
      for (const [cookie, side] of visitors) {
        assert.equal((await ask(node, "/", cookie)).headers["x-svc-deployment"], side);
      }
    }
    // Only the last node gets the failing requests.
    const state = await until(
      async () => {
        for (const cookie of visitors.keys()) await ask(last, "/page", cookie);
        return await stateAt(first);
      },
      (release) => release.state !== "RUNNING",
      60_000,
    );
    assert.equal(state.state, "WITHDRAWN");
    assert.match(state.reason, /responses from the new deployment have status 400 or more/);
    for (const node of nodes) {
      assert.equal((await stateAt(node)).id, state.id);
      for (const cookie of visitors.keys()) {
        await until(async () =>
          (await ask(node, "/page", cookie)).headers["x-svc-deployment"] === old.id
        );
      }
    }
    const { json } = await until(
      () => last.api("GET", "/v1/audit?action=withdrawRelease"),
      ({ json }) => json.items.length > 0,
    );
    assert.equal(json.items.length, 1, "one node withdraws the release, once");
  },
});
