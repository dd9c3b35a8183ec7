/** Tests data that each node keeps in memory while another node changes it. */
import assert from "node:assert/strict";
import { startDns } from "../../../src/lib/_test_dns_server.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { NO_POSTGRES } from "../../../src/platform/core/store/_test_pg.ts";
import { Cluster } from "../../helpers/cluster.ts";
import { bindDomain } from "../../helpers/domains.ts";
import { follow, titlesOf, trigger } from "../../helpers/inbox_stream.ts";
import { claimOwner, prefer } from "../../helpers/notifications.ts";
import { createProject, deploy } from "../../helpers/platform.ts";

const HOUR_MS = 60 * 60 * 1000;
const PREFERENCES = "/v1/notifications/preferences";

Deno.test({
  name: "each node sees people, events and domains that another node has changed",
  ignore: NO_POSTGRES !== undefined,
  async fn(t) {
    await using cluster = await Cluster.open();
    const dns = await startDns();
    await using _ = { [Symbol.asyncDispose]: () => dns.close() };
    const options = { dnsServer: dns.server, publicAddresses: ["127.0.0.1"] };
    const a = await cluster.start("a", { ...options, nodeId: "a" });
    // This node's clock is slow, so its IDs would sort before the other node's IDs.
    const late = () => Date.now() - HOUR_MS;
    const b = await cluster.startInProcess("b", { ...options, nodeId: "b", now: late });
    const inbox = async () => titlesOf(await b.api("GET", "/v1/notifications"));

    await t.step("the owner's link is created once and works on any node", async () => {
      assert.equal(b.ownerLink, undefined);
      await claimOwner({ ...b, ownerLink: a.ownerLink });
    });

    await t.step(
      "events are in the order in which they were stored, and none is lost",
      async () => {
        for (const [index, node] of [a, b, a, b, b, a].entries()) {
          await trigger(node, "deployment.live", { project: `p${index}` });
        }
        const order = [5, 4, 3, 2, 1, 0].map((index) => `p${index}`);
        await until(async () => (await inbox()).filter((each) => /^p\d/.test(each)).length === 6);
        const titles = (await inbox()).filter((each) => /^p\d/.test(each));
        assert.deepEqual(titles.map((each) => each.slice(0, 2)), order);
      },
    );

    await t.step("an open stream on one node shows events from the other node", async () => {
      const stream = follow(b);
      try {
        let title: string | undefined;
        void stream.next("notification").then((message) => title = message.title);
        await trigger(a, "deployment.live", { project: "streamed" });
        assert.match((await until(() => title))!, /^streamed/);
      } finally {
        stream.close();
      }
    });

    await t.step("a node that has read preferences sees changes from the other node", async () => {
      const channels = async (node: typeof a) => {
        const { json } = await node.api("GET", PREFERENCES);
        const all: readonly { category: string; channels: { in_app: boolean } }[] = json.categories;
        return all.find(({ category }) => category === "Deployment")!.channels;
      };
      assert.equal((await channels(a)).in_app, true);
      const send = (method: string, path: string, visit = {}) => b.api(method, path, visit);
      await prefer({ send }, {
        category: "Deployment",
        channels: { in_app: false },
      });
      await until(async () => !(await channels(a)).in_app);
      await trigger(b, "deployment.live", { project: "unwanted" });
      await trigger(b, "health.check_failed", { project: "wanted" });
      await until(async () => (await inbox()).some((each) => each.includes("wanted")));
      assert.ok(!(await inbox()).some((each) => each.includes("unwanted")));
    });

    await t.step("a domain added through one node is served by the other node", async () => {
      await createProject(a, "shop");
      await deploy(a, "shop", { files: { "index.html": "moored" } });
      const id = await bindDomain(a, dns.names, "www.shop.test");
      await until(async () => (await b.get("www.shop.test", "/")).text === "moored");
      await a.api("DELETE", `/v1/projects/shop/domains/${id}`);
      await until(async () => (await b.get("www.shop.test", "/")).status === 404);
    });
  },
});
