/**
 * Tests what front edges report to their platform: the requests, and whether the edges are drained.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { inTestFolder } from "../../../src/lib/_test_folder.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { deployCached } from "../../helpers/cached_site.ts";
import { addEdge, type TestEdge } from "../../helpers/front_edge.ts";
import { PASSWORD, Visitor } from "../../helpers/page_visitor.ts";
import {
  createProject,
  deploy,
  start,
  type TestPlatform,
  withPlatform,
} from "../../helpers/platform.ts";

const HOST = "shop.localhost";
/** Pages that become stale after a second. */
const SHORT = {
  schemaVersion: "EDGE_RULE_SET_V1",
  rules: [{
    id: "keep",
    condition: { path: { type: "prefix", value: "/rule/" } },
    action: { type: "cache", ttlSeconds: 1, swrSeconds: 600 },
  }],
};
const BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

interface Logged {
  readonly edge?: string;
  readonly path: string;
  readonly ip: string;
}

/** Returns the log once it has `count` entries. */
async function logOf(platform: TestPlatform, count: number): Promise<readonly Logged[]> {
  return await until(
    async () => (await platform.api("GET", "/v1/projects/shop/logs?limit=100")).json.items,
    (items) => items.length >= count,
  );
}

Deno.test("the log and traffic show the edge that served or forwarded each request", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deploy(platform, "shop", { files: { "index.html": "<h1>home</h1>" } });
    const edge = await addEdge(platform, "far");
    try {
      const headers = { "user-agent": BROWSER, referer: "https://example.com/" };
      await edge.get(HOST, "/", headers);
      await edge.get(HOST, "/missing.png", headers);
      await platform.get(HOST, "/", headers);
      const found = (await logOf(platform, 3)).map(({ path, edge = "platform", ip }) =>
        // The platform may also run edges on this machine.
        `${path} ${edge.replace(/^local-.*/, "platform")} ${ip}`
      );
      assert.deepEqual(found.sort(), [
        "/ far 127.0.0.1",
        "/ platform 127.0.0.1",
        "/missing.png far 127.0.0.1",
      ]);
      const search = await platform.api("GET", "/v1/projects/shop/logs?search=far");
      assert.equal(search.json.items.length, 2);
      const { json } = await platform.api("GET", "/v1/projects/shop/traffic?range=day");
      assert.deepEqual([json.totals.requests, json.totals.pageViews], [3, 2]);
      assert.deepEqual(json.referrers, [{ value: "example.com", count: 2 }]);
      const metrics = await (await fetch(`http://127.0.0.1:${platform.port}/metrics`)).text();
      assert.ok(metrics.includes('svc_edge_requests_total{edge="far",code="2xx"} 1\n'), metrics);
    } finally {
      await edge.kill();
    }
  }));

Deno.test("a stale page that an edge refreshes counts as one visit", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deployCached(platform, "shop", { rules: SHORT });
    const edge = await addEdge(platform, "far");
    try {
      let asked = 0;
      const get = async () => {
        asked++;
        return (await edge.get(HOST, "/rule/a", { "user-agent": BROWSER })).headers["x-svc-cache"];
      };
      for (let stale = 0; stale < 3; stale++) {
        await until(get, (result) => result === "HIT");
        await until(get, (result) => result === "STALE");
      }
      const total = async () => {
        const { items } = (await platform.api("GET", "/v1/projects/shop/logs?limit=1000")).json;
        return items.filter(({ type }: { type: string }) => type === "request").length;
      };
      await until(total, (count) => count >= asked);
      const { json } = await platform.api("GET", "/v1/projects/shop/traffic?range=day");
      assert.deepEqual([await total(), json.totals.requests], [asked, asked]);
    } finally {
      await edge.kill();
    }
  }));

Deno.test("an edge keeps its request log while the platform is down", () =>
  inTestFolder(async (folder) => {
    const dataDir = join(folder, "data");
    let platform = await start(dataDir);
    let edge: TestEdge | undefined;
    try {
      await createProject(platform, "shop");
      await deploy(platform, "shop", { files: { "index.html": "home" } });
      edge = await addEdge(platform, "far");
      await edge.get(HOST, "/");
      const { port } = platform;
      await platform.shutdown();
      for (let at = 0; at < 20; at++) assert.equal((await edge.get(HOST, `/?${at}`)).text, "home");
      platform = await start(dataDir, { port });
      const items = await logOf(platform, 21);
      assert.deepEqual(new Set(items.map((entry) => entry.edge)), new Set(["far"]));
      assert.equal(new Set(items.map(({ path }) => path)).size, 21);
      assert.equal(items.length, 21);
    } finally {
      await edge?.kill();
      await platform.shutdown();
    }
  }));

Deno.test("on the usage page, the owner can see how far away each edge is, and drain an edge", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deploy(platform, "shop", { files: { "index.html": "home" } });
    const edge = await addEdge(platform, "far");
    try {
      const owner = new Visitor(platform);
      const welcome = new URL(platform.ownerLink!).pathname;
      const typed = { name: "owner", email: "owner@example.com", password: PASSWORD };
      await owner.submit(await owner.open(welcome), welcome, typed);
      await until(async () => {
        await edge.get(HOST, "/");
        const { json } = await platform.api("GET", "/v1/edges");
        return json.items[0].roundTripMs !== null;
      });
      const at = "/workspaces/default/usage";
      const page = await owner.open(at);
      assert.match(page.html, /far<\/span>.* ms away/);
      const drained = await owner.submit(page, `${at}/edges`);
      assert.match(drained.html, /The edge is drained\. Its clients use other edges\./);
      assert.equal((await platform.api("GET", "/v1/edges")).json.items[0].isDrained, true);
      assert.match(
        (await owner.submit(drained, `${at}/edges`)).html,
        /The edge serves clients again\./,
      );
      const stranger = new Visitor(platform);
      await stranger.signUp("sam");
      const workspace = { slug: "acme", name: "Acme" };
      await stranger.submit(await stranger.open("/workspaces"), "/workspaces", workspace);
      assert.doesNotMatch((await stranger.open("/workspaces/acme/usage")).html, /front edges/i);
    } finally {
      await edge.kill();
    }
  }));

Deno.test("a drained edge still responds, but sends clients to other edges", () =>
  inTestFolder(async (folder) => {
    const dataDir = join(folder, "data");
    let platform = await start(dataDir);
    let edge: TestEdge | undefined;
    try {
      await createProject(platform, "shop");
      await deploy(platform, "shop", { files: { "index.html": "home" } });
      edge = await addEdge(platform, "far");
      const health = async () => (await edge!.get("127.0.0.1", "/healthz")).status;
      assert.equal(await health(), 200);
      const drain = (isDrained: boolean) =>
        platform.api("PATCH", "/v1/edges/far", { json: { isDrained } });
      assert.equal((await drain(true)).json.isDrained, true);
      await until(health, (status) => status === 503);
      const { text, headers } = await edge.get(HOST, "/", { connection: "keep-alive" });
      assert.deepEqual([text, headers.connection], ["home", "close"]);
      const { port } = platform;
      await platform.shutdown();
      platform = await start(dataDir, { port });
      await until(async () => (await edge!.get(HOST, "/")).headers["x-svc-edge"] === "far");
      assert.equal(await health(), 503);
      await drain(false);
      await until(health, (status) => status === 200);
      const unknown = await platform.api("PATCH", "/v1/edges/near", { json: { isDrained: true } });
      assert.equal(unknown.status, 404);
    } finally {
      await edge?.kill();
      await platform.shutdown();
    }
  }));
