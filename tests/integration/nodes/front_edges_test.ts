/** Tests a front edge that follows one of several nodes. */
import assert from "node:assert/strict";
import { until } from "../../../src/lib/_test_until.ts";
import { NO_POSTGRES } from "../../../src/platform/core/store/_test_pg.ts";
import { Cluster } from "../../helpers/cluster.ts";
import { addEdge } from "../../helpers/front_edge.ts";
import { createProject, deploy } from "../../helpers/platform.ts";

const HOST = "shop.localhost";

Deno.test({
  name: "an edge gets changes from other nodes and catches up when its own node returns",
  ignore: NO_POSTGRES !== undefined,
  async fn() {
    await using cluster = await Cluster.open();
    const a = await cluster.start("a", { nodeId: "a" });
    let b = await cluster.start("b", { nodeId: "b" });
    const { port } = b;
    await createProject(a, "shop");
    const edge = await addEdge(a, "far", { join: `http://127.0.0.1:${port}` });
    try {
      const shown = async () => {
        const { text, headers } = await edge.get(HOST, "/");
        return `${text} by ${headers["x-svc-edge"]}`;
      };
      for (const version of ["one", "two", "three"]) {
        await deploy(a, "shop", { files: { "index.html": version } });
        await until(shown, (text) => text === `${version} by far`);
      }
      const { status } = await a.api("POST", "/v1/projects/shop/rollback", { json: {} });
      assert.equal(status, 200);
      await until(shown, (text) => text === "two by far");
      // The node that the edge follows waits for the edge.
      await deploy(b, "shop", { files: { "index.html": "own" } });
      assert.equal(await shown(), "own by far");
      // Every node accepts the signatures of requests that the edge relays.
      assert.equal((await edge.get(HOST, "/none")).status, 404);

      await cluster.stop(b);
      await until(shown, (text) => text === "own by far; lost");
      await deploy(a, "shop", { files: { "index.html": "four" } });
      b = await cluster.start("b", { nodeId: "b", port });
      await until(shown, (text) => text === "four by far");

      assert.equal((await a.api("DELETE", "/v1/edges/far")).status, 204);
      await until(shown, (text) => text === "four by far; lost");
      await until(() => edge.get(HOST, "/none"), ({ status }) => status === 503);
    } finally {
      await edge.kill();
    }
  },
});
