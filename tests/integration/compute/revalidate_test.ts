import { inTestFolder } from "../../../src/lib/_test_folder.ts";
import assert from "node:assert/strict";
import { onEachEngine } from "../../helpers/compute_server.ts";
import { deployServer, LAYERS } from "../../helpers/compute_site.ts";
import { createProject, start, type TestPlatform, withPlatform } from "../../helpers/platform.ts";

const HOST = "shop.localhost";

/**
 * A server with pages that specify how long they can be cached, and a route that revalidates them.
 */
const SERVER = `
import { createServer } from "node:http";

const counts = new Map();
createServer(async (request, response) => {
  const url = new URL(request.url, "http://server.test");
  if (url.pathname === "/revalidate") {
    try {
      const asked = JSON.parse(url.searchParams.get("what"));
      await globalThis.svc.revalidate(asked);
      return response.end("revalidated");
    } catch (error) {
      response.statusCode = 400;
      return response.end(error.name + ": " + error.message);
    }
  }
  const count = (counts.get(request.url) ?? 0) + 1;
  counts.set(request.url, count);
  response.setHeader("x-count", String(count));
  if (url.pathname.startsWith("/posts/")) {
    response.setHeader("SVC-CDN-Cache-Control", "max-age=600, stale-while-revalidate=600");
    response.setHeader("SVC-Cache-Tag", "posts," + url.pathname.slice(7));
  }
  if (url.pathname.startsWith("/isr/")) response.setHeader("x-next-cache-tags", "posts");
  response.end(url.pathname + " " + count);
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

async function page(platform: TestPlatform, path: string, host = HOST): Promise<string> {
  const { headers, text } = await platform.get(host, path);
  return `${headers["x-svc-cache"]} ${text}`;
}

async function revalidate(platform: TestPlatform, what: unknown) {
  const { status, text } = await platform.get(
    HOST,
    `/revalidate?what=${encodeURIComponent(JSON.stringify(what))}`,
  );
  return `${status} ${text}`;
}

Deno.test("the edge caches pages as the server's headers specify, until the next deployment", async () => {
  await inTestFolder(async (dataDir) => {
    const before = await start(dataDir);
    await createProject(before, "shop");
    await deployServer(before, "shop", SITE);
    const first = await before.get(HOST, "/posts/a");
    assert.deepEqual(
      ["x-svc-cache", "svc-cdn-cache-control", "svc-cache-tag", "cache-control"].map((name) =>
        first.headers[name]
      ),
      ["MISS", undefined, undefined, "public, max-age=0, must-revalidate"],
    );
    assert.equal(await page(before, "/posts/a"), "HIT /posts/a 1");
    assert.equal(await page(before, "/other"), "undefined /other 1");
    await before.shutdown();
    const after = await start(dataDir);
    try {
      assert.equal(await page(after, "/posts/a"), "HIT /posts/a 1");
      await deployServer(after, "shop", { ...SITE, version: "2" });
      assert.equal(await page(after, "/posts/a"), "MISS /posts/a 1");
    } finally {
      await after.shutdown();
    }
  });
});

onEachEngine(
  "a server revalidates its own deployment's pages by path and by tag",
  ({ engine }) =>
    withPlatform(async (platform) => {
      await createProject(platform, "shop");
      await createProject(platform, "other");
      await deployServer(platform, "shop", { ...SITE, engine });
      await deployServer(platform, "other", { ...SITE, engine });
      for (const path of ["/posts/a", "/posts/b", "/isr/c"]) await page(platform, path);
      await page(platform, "/posts/a", "other.localhost");

      assert.equal(await revalidate(platform, { tags: ["a"] }), "200 revalidated");
      assert.equal(await page(platform, "/posts/a"), "MISS /posts/a 2");
      assert.equal(await page(platform, "/posts/b"), "HIT /posts/b 1");

      assert.equal(await revalidate(platform, { paths: ["/posts/b"] }), "200 revalidated");
      assert.equal(await page(platform, "/posts/a"), "HIT /posts/a 2");
      assert.equal(await page(platform, "/posts/b"), "MISS /posts/b 2");

      assert.equal(await revalidate(platform, { tags: ["posts"], soft: true }), "200 revalidated");
      for (const path of ["/posts/a", "/posts/b"]) {
        assert.equal(await page(platform, path), `STALE ${path} 2`);
      }
      assert.equal(await page(platform, "/isr/c"), "STALE /isr/c 1");
      assert.equal(await page(platform, "/posts/a", "other.localhost"), "HIT /posts/a 1");
    }),
);

onEachEngine(
  "an invalid call is rejected with the reason",
  ({ engine }) =>
    withPlatform(async (platform) => {
      await createProject(platform, "shop");
      await deployServer(platform, "shop", { ...SITE, engine });
      for (
        const [what, answer] of [
          [
            {},
            '400 TypeError: Cannot revalidate: Pass at least one path or tag in "paths" or "tags"',
          ],
          [
            { paths: ["a"] },
            '400 TypeError: Cannot revalidate: The path "a" must begin with / and have no query or fragment',
          ],
          [
            { paths: ["/%00"] },
            '400 Error: Cannot revalidate: The path "/%00" cannot be the path of a request',
          ],
        ] as const
      ) {
        assert.equal(await revalidate(platform, what), answer);
      }
    }),
);

Deno.test("the API purges pages by tag or path, hard or soft, in one environment or all", async () => {
  await withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deployServer(platform, "shop", SITE);
    const preview = await deployServer(platform, "shop", { ...SITE, version: "2", prod: false });
    const previewHost = new URL(preview.urls.unique).hostname;
    const both = async (path: string) => [
      await page(platform, path),
      await page(platform, path, previewHost),
    ];
    const purge = async (json: object) => {
      const { status, json: answer } = await platform.api("POST", "/v1/projects/shop/purge", {
        json,
      });
      return status === 200 ? answer.purged : `${status} ${answer.error}`;
    };
    await both("/posts/a");
    assert.equal(await purge({ type: "tag", tag: "posts", environment: "preview" }), 1);
    assert.deepEqual(await both("/posts/a"), ["HIT /posts/a 1", "MISS /posts/a 2"]);

    assert.equal(await purge({ type: "tag", tag: "a", soft: true }), 2);
    assert.deepEqual(await both("/posts/a"), ["STALE /posts/a 1", "STALE /posts/a 2"]);

    assert.equal(await purge({ type: "path", path: "/posts/%61", environment: "production" }), 1);
    assert.equal(await page(platform, "/posts/a"), "MISS /posts/a 3");
    assert.match(
      String(await purge({ type: "all", environment: "none" })),
      /^404 Environment "none"/,
    );
    assert.match(String(await purge({ type: "path", path: "/%00" })), /^400 The path "\/%00"/);
  });
});
