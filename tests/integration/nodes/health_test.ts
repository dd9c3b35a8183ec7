/** Every node must report a server's health, whichever node runs the server. */
import assert from "node:assert/strict";
import { until } from "../../../src/lib/_test_until.ts";
import { NO_POSTGRES } from "../../../src/platform/core/store/_test_pg.ts";
import { Cluster } from "../../helpers/cluster.ts";
import { deployServer } from "../../helpers/compute_site.ts";
import { createProject, type TestPlatform } from "../../helpers/platform.ts";

const stateOf = async ({ api }: TestPlatform) =>
  (await api("GET", "/v1/projects/shop/health")).json.state;

Deno.test({
  name: "all nodes report one node's server as healthy, and as idle when that node is gone",
  ignore: NO_POSTGRES !== undefined,
  async fn() {
    await using cluster = await Cluster.open();
    const a = await cluster.start("a", { nodeId: "a" });
    const b = await cluster.start("b", { nodeId: "b" });
    await createProject(a, "shop");
    await deployServer(b, "shop");
    await until(async () => (await stateOf(a)) === "healthy");
    assert.equal(await stateOf(b), "healthy");
    await cluster.stop(b);
    assert.equal(await stateOf(a), "idle", "node a has not received any page requests");
    assert.equal((await a.get("shop.localhost", "/x")).text, "server: /x");
    assert.equal(await stateOf(a), "healthy");
  },
});
