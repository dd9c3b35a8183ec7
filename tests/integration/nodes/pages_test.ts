/** Each node caches rendered pages. A purge must remove them from all nodes. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { until } from "../../../src/lib/_test_until.ts";
import { NO_POSTGRES } from "../../../src/platform/core/store/_test_pg.ts";
import { Cluster } from "../../helpers/cluster.ts";
import { deployServer, LAYERS } from "../../helpers/compute_site.ts";
import { createProject, type TestPlatform } from "../../helpers/platform.ts";

const SERVER = `
import { createServer } from "node:http";
let count = 0;
createServer(async (request, response) => {
  if (request.url === "/revalidate") {
    await globalThis.svc.revalidate({ paths: ["/isr/page"] });
    return response.end("revalidated");
  }
  response.end("rendered " + (++count));
}).listen(process.env.PORT, process.env.HOST);
`;

const SITE = {
  server: SERVER,
  manifest: {
    version: 1,
    layers: LAYERS,
    routes: [
      { pattern: "^/isr/", layer: "app", priority: 10, revalidate: 600 },
      { pattern: "^/.*$", layer: "app" },
    ],
  },
};

Deno.test({
  name: "a page cached on one node is dropped when another node purges or revalidates it",
  ignore: NO_POSTGRES !== undefined,
  async fn() {
    await using cluster = await Cluster.open();
    const [a, b] = [await cluster.start("a"), await cluster.start("b")];
    await createProject(a, "shop");
    await deployServer(a, "shop", SITE);
    const get = (node: TestPlatform, path: string) => node.get("shop.localhost", path);
    const page = async (node: TestPlatform) => {
      const { headers, text } = await get(node, "/isr/page");
      return `${headers["x-svc-cache"]} ${text}`;
    };
    await until(async () => await page(b) === "HIT rendered 1");
    assert.equal((await get(a, "/revalidate")).text, "revalidated");
    await until(async () => await page(b) === "HIT rendered 2");
    const purged = await a.api("POST", "/v1/projects/shop/purge", { json: { type: "all" } });
    assert.equal(purged.status, 200);
    await until(async () => await page(b) === "HIT rendered 3");

    // A node must not serve pages from its disk that were purged while the node was stopped.
    await cluster.stop(b);
    await a.api("POST", "/v1/projects/shop/purge", { json: { type: "all" } });
    const again = await cluster.start("b");
    await until(async () => (await get(again, "/isr/page")).status === 200);
    assert.equal(await page(again), "HIT rendered 1", "the page is rendered by the new server");
  },
});

Deno.test({
  name: "a node that was away for longer than purges are stored drops all of its pages",
  ignore: NO_POSTGRES !== undefined,
  async fn() {
    await using cluster = await Cluster.open();
    const { proxy, kv } = cluster.openWay();
    await using _ = proxy;
    const a = await cluster.start("a");
    let b = await cluster.start("b", { kv });
    await createProject(a, "shop");
    await deployServer(a, "shop", SITE);
    const page = async () => (await b.get("shop.localhost", "/isr/page")).text;
    const purge = async () => {
      const purged = await a.api("POST", "/v1/projects/shop/purge", { json: { type: "all" } });
      assert.equal(purged.status, 200);
      await cluster.forget();
    };
    await until(async () => await page() === "rendered 1");
    const noted = join(cluster.folder, "b", "cache", "purges_known");
    await until(() => Deno.stat(noted).then(() => true, () => false));

    proxy.passesAnswers = false;
    proxy.cut();
    await purge();
    assert.equal(await page(), "rendered 1");
    proxy.passesAnswers = true;
    await until(async () => await page() === "rendered 2");

    for (const [minutes, answered] of [[20, "MISS"], [5, "HIT"]] as const) {
      await cluster.stop(b);
      await purge();
      await Deno.writeTextFile(noted, `${Date.now() - minutes * 60_000}\n`);
      b = await cluster.start("b", { kv });
      await until(async () => (await b.get("shop.localhost", "/")).status === 200);
      const { headers } = await b.get("shop.localhost", "/isr/page");
      assert.equal(headers["x-svc-cache"], answered, `away for ${minutes} minutes`);
    }
  },
});
