/**
 * Cuts a node's connection to the store. The test takes half a minute, so it runs only with
 * `NODES_TESTS=all`.
 */
import assert from "node:assert/strict";
import { ROLES } from "../../../src/platform/core/nodes/mod.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { NO_POSTGRES } from "../../../src/platform/core/store/_test_pg.ts";
import { Cluster } from "../../helpers/cluster.ts";
import { createProject, deploy, type TestPlatform } from "../../helpers/platform.ts";

const IS_ASKED = Deno.env.get("NODES_TESTS") === "all";

const askReadiness = ({ url }: TestPlatform): Promise<Response> => fetch(`${url}/readyz`);

const readiness = async (platform: TestPlatform): Promise<number> => {
  const answer = await askReadiness(platform);
  await answer.body?.cancel();
  return answer.status;
};

Deno.test({
  name: "a node without the store serves sites, accepts no credentials, and stops leading",
  ignore: NO_POSTGRES !== undefined || !IS_ASKED,
  async fn() {
    await using cluster = await Cluster.open();
    const { proxy, kv } = cluster.openWay();
    await using _ = proxy;
    const cut = await cluster.start("cut", { kv, nodeId: "cut" });
    const other = await cluster.start("other", { nodeId: "other" });
    const leader = async () => {
      const { json } = await other.api("GET", "/v1/nodes");
      return json.items.find(({ roles }: { roles: string[] }) => roles.length === ROLES.length)?.id;
    };
    assert.equal(await leader(), "cut");
    const project = await createProject(other, "site");
    await deploy(other, project.id, { files: { "index.html": "one" } });
    await until(async () => (await cut.get("site.localhost", "/")).text === "one");
    const made = await other.api("POST", "/v1/api-keys", { json: { name: "k" } });
    const { key, apiKey, id = apiKey?.id } = made.json;
    const status = async () => (await cut.api("GET", "/v1/projects", { token: key })).status;
    assert.equal(await status(), 200);
    assert.equal(await readiness(cut), 200);

    proxy.passesAnswers = false;
    proxy.cut();
    await other.api("DELETE", `/v1/api-keys/${id}`);
    await until(async () => await readiness(cut) === 503);
    const reason = await (await askReadiness(cut)).text();
    assert.match(reason, /The store has not responded for \d+ s/);
    assert.equal(await status(), 503, "the node cannot check the key in the store");
    assert.equal((await cut.get("site.localhost", "/")).text, "one");
    await until(async () => await leader() === "other");

    proxy.passesAnswers = true;
    await until(async () => await readiness(cut) === 200);
    assert.equal(await status(), 401, "the node detects that the key is revoked");
    assert.equal(await leader(), "other", "the other node keeps leading");
    await deploy(other, project.id, { files: { "index.html": "two" } });
    await until(async () => (await cut.get("site.localhost", "/")).text === "two");
  },
});
