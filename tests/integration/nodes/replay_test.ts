/** A deploy hook delivery reaches several nodes, one after another or at the same time. */
import assert from "node:assert/strict";
import { makeTestFolder } from "../../../src/lib/_test_folder.ts";
import { makeRepository } from "../../../src/lib/_test_git.ts";
import { NO_POSTGRES } from "../../../src/platform/core/store/_test_pg.ts";
import { Cluster } from "../../helpers/cluster.ts";
import { MAKES_PAGE } from "../../helpers/deploy_hooks.ts";
import { createProject, type TestPlatform } from "../../helpers/platform.ts";

const ROUNDS = 10;

Deno.test({
  name: "a hook delivery that reaches two nodes creates one deployment",
  ignore: NO_POSTGRES !== undefined,
  async fn() {
    const folder = await makeTestFolder("svc-replay-");
    await using cleanUp = new AsyncDisposableStack();
    cleanUp.defer(() => Deno.remove(folder, { recursive: true }));
    const repository = await makeRepository(folder);
    const commitSha = await repository.commit("main", { "index.html": "<p>one</p>" });
    const cluster = cleanUp.use(await Cluster.open());
    const more = { gitRoots: [folder] };
    const nodes = [await cluster.start("a", more), await cluster.start("b", more)];
    const [a] = nodes as [TestPlatform, TestPlatform];
    await createProject(a, "shop");
    await a.api("PATCH", "/v1/projects/shop", {
      json: { gitUrl: repository.path, buildCommand: MAKES_PAGE, outputDirectory: "out" },
    });
    const { json: hook } = await a.api("POST", "/v1/deploy-hooks", {
      json: { projectId: "shop", name: "ci", branch: "main", scope: "All" },
    });
    const deliver = async (node: TestPlatform, key: string) => {
      const { status, json } = await node.api("POST", new URL(hook.url).pathname, {
        token: null,
        headers: { "idempotency-key": key },
        json: { branch: "main", commitSha, force: true },
      });
      assert.ok(status === 200 || status === 409, JSON.stringify(json));
      return status === 200 ? json.id as string : undefined;
    };
    const made = new Set<string>();
    for (let round = 0; round < ROUNDS; round++) {
      const key = `delivery-${round}`;
      const ids = await Promise.all(nodes.map((node) => deliver(node, key)));
      const [id, ...others] = new Set(ids.filter((each) => each !== undefined));
      assert.ok(id !== undefined, "only one of the deliveries has an effect");
      assert.deepEqual(others, []);
      for (const node of nodes) {
        assert.equal(
          await deliver(node, key),
          id,
          "a later repetition returns the same deployment",
        );
      }
      made.add(id);
      await a.api("POST", `/v1/builds/${id}/cancel`);
    }
    const { json } = await a.api("GET", "/v1/projects/shop/deployments?limit=100");
    assert.equal(json.items.length, made.size);
    assert.equal(made.size, ROUNDS);
  },
});
