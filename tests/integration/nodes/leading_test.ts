/**
 * Tests the work that one node does for all nodes, and the data that each node gets from the
 * others.
 */
import assert from "node:assert/strict";
import { ROLES } from "../../../src/platform/core/nodes/mod.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { NO_POSTGRES } from "../../../src/platform/core/store/_test_pg.ts";
import { Cluster } from "../../helpers/cluster.ts";
import { raise } from "../../helpers/notifications.ts";
import { makeCertificate } from "../../../src/lib/_test_certificate.ts";
import { createProject, type TestPlatform } from "../../helpers/platform.ts";
import { proxyTo, publish, rule } from "../../helpers/upstreams.ts";
import { stopServer } from "../../../src/lib/stop_server.ts";

interface Listed {
  readonly id: string;
  readonly roles: readonly string[];
  readonly isSelf: boolean;
}

async function nodesSeenBy(platform: TestPlatform): Promise<readonly Listed[]> {
  const { status, json } = await platform.api("GET", "/v1/nodes");
  assert.equal(status, 200, JSON.stringify(json));
  return json.items;
}

interface Shown {
  readonly id: string;
  readonly read: boolean;
  readonly data: { readonly project: string };
}

async function inboxOf(platform: TestPlatform): Promise<readonly Shown[]> {
  return (await platform.api("GET", "/v1/notifications")).json.items;
}

async function openUpstream(folder: string) {
  const { certFile, keyFile } = await makeCertificate(folder, "upstream", ["DNS:localhost"]);
  const [cert, key] = [await Deno.readTextFile(certFile), await Deno.readTextFile(keyFile)];
  let count = 0;
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, cert, key, onListen: () => {} },
    () => new Response(`${++count}`),
  );
  return { cert, server, url: `https://localhost:${server.addr.port}` };
}

Deno.test({
  name: "one node leads, all nodes show the same data, and another takes over when it is gone",
  ignore: NO_POSTGRES !== undefined,
  async fn(t) {
    await using cluster = await Cluster.open();
    const { cert, server, url } = await openUpstream(cluster.folder);
    await using _ = { [Symbol.asyncDispose]: () => stopServer(server) };
    const options = { allowPrivateUpstreams: true, upstreamCa: [cert] };
    const a = await cluster.start("a", { ...options, nodeId: "a" });
    const b = await cluster.start("b", { ...options, nodeId: "b" });

    await t.step("both nodes list each other, and the first leads everything", async () => {
      const seen = await nodesSeenBy(b);
      assert.deepEqual(seen.map(({ id, isSelf }) => [id, isSelf]), [["a", false], ["b", true]]);
      assert.deepEqual(seen.map(({ roles }) => roles.length), [ROLES.length, 0]);
      assert.deepEqual((await nodesSeenBy(a)).map(({ id }) => id), ["a", "b"]);
      const count = async () => (await a.api("GET", "/v1/health")).json.nodes;
      await until(async () => await count() === 2);
    });

    await t.step(
      "a node with another data directory cannot reuse a node's name",
      async () => {
        await assert.rejects(cluster.start("c", { nodeId: "a" }), /Cannot start as node \\?"a\\?"/);
      },
    );

    await t.step(
      "an event on the other node appears in the inbox once, on both nodes",
      async () => {
        const { status } = await raise(b, "deployment.live", { project: "one" });
        assert.ok(status < 300, `${status}`);
        await until(async () => (await inboxOf(b)).length === 1);
        const [notification] = await inboxOf(a);
        assert.equal((await inboxOf(a)).length, 1);
        await b.api("POST", `/v1/notifications/${notification!.id}/read`);
        await until(async () => (await inboxOf(a))[0]?.read === true);
        await a.api("POST", `/v1/notifications/${notification!.id}/archive`);
        await until(async () => (await inboxOf(b)).length === 0);
      },
    );

    await t.step("a purge through one node applies to the other node", async () => {
      await createProject(a, "shop");
      const rules = [proxyTo(url), rule("cache", { type: "cache", ttlSeconds: 60 })];
      await publish(a, "shop", { rules });
      const state = async () => (await b.get("shop.localhost", "/up/x")).headers["x-svc-cache"];
      await until(async () => await state() === "HIT");
      const purged = await a.api("POST", "/v1/projects/shop/purge", { json: { type: "all" } });
      assert.equal(purged.status, 200);
      await until(async () => await state() === "MISS");
    });

    await t.step("the other node leads when the first node is gone", async () => {
      await cluster.stop(a);
      await until(async () =>
        (await nodesSeenBy(b)).some(({ roles }) => roles.length === ROLES.length)
      );
      assert.deepEqual((await nodesSeenBy(b)).map(({ id }) => id), ["b"]);
      await raise(b, "deployment.live", { project: "two" });
      const ofTwo = async () =>
        (await inboxOf(b)).filter(({ data }) => data.project === "two").length;
      await until(async () => await ofTwo() === 1);
    });
  },
});
