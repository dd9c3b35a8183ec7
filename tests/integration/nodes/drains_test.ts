/** Tests drains on a platform with three nodes and one PostgreSQL server. */
import assert from "node:assert/strict";
import { until } from "../../../src/lib/_test_until.ts";
import { NO_POSTGRES } from "../../../src/platform/core/store/_test_pg.ts";
import { TestReceiver } from "../../../src/platform/drains/_test_receiver.ts";
import { Cluster } from "../../helpers/cluster.ts";
import { createProject, deploy, type TestPlatform } from "../../helpers/platform.ts";

const NODES = ["a", "b", "c"];
const HOST = "shop.localhost";

Deno.test({
  name: "a request's record reaches the drain once, from the node that handled it",
  ignore: NO_POSTGRES !== undefined,
  async fn() {
    const receiver = new TestReceiver();
    await using server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      receiver.handle,
    );
    await using cluster = await Cluster.open();
    const nodes: TestPlatform[] = [];
    for (const nodeId of NODES) {
      nodes.push(await cluster.start(nodeId, { nodeId, allowPrivateUpstreams: true }));
    }
    const [first] = nodes as [TestPlatform, ...TestPlatform[]];
    await createProject(first, "shop");
    await deploy(first, "shop", { files: { "index.html": "home" } });
    const at = "/v1/projects/shop/drains";
    const url = `http://127.0.0.1:${server.addr.port}`;
    const added = await first.api("POST", at, { json: { url } });
    assert.equal(added.status, 201, JSON.stringify(added.json));

    const sent = () =>
      receiver.records.flatMap(({ attributes, resource }) => {
        const [, path] = /^\/(\w+-\d+)$/.exec(String(attributes["url.path"])) ?? [];
        return path === undefined ? [] : [`${path} from ${resource["service.instance.id"]}`];
      });
    // A node has opened the drain once the record of a request to that node has arrived.
    for (const [index, node] of nodes.entries()) {
      const name = NODES[index]!;
      await until(async () => {
        await node.get(HOST, "/?opening");
        return receiver.records.some(({ resource }) => resource["service.instance.id"] === name);
      });
    }
    const expected = NODES.flatMap((name) =>
      Array.from({ length: 10 }, (_, number) => `${name}-${number} from ${name}`)
    );
    await Promise.all(
      expected.map((each) => {
        const [path, , name] = each.split(" ");
        return nodes[NODES.indexOf(name!)]!.get(HOST, `/${path}`);
      }),
    );
    await until(sent, (records) => records.length >= expected.length);
    const { json: { items: [{ health }], missingNodes } } = await first.api("GET", at);
    assert.equal(missingNodes, undefined);
    assert.ok(health.sent >= expected.length, JSON.stringify(health));
    // When a node stops, it sends the remaining records.
    for (const node of nodes.toReversed()) await cluster.stop(node);
    assert.deepEqual(sent().sort(), expected.sort());
  },
});
