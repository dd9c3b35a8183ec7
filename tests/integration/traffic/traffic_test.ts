import assert from "node:assert/strict";
import { until } from "../../../src/lib/_test_until.ts";
import {
  createProject,
  deploy,
  start,
  type TestPlatform,
  withPlatform,
} from "../../helpers/platform.ts";
import { inTestFolder } from "../../../src/lib/_test_folder.ts";

const BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 " +
  "(KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1";
const CRAWLER = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
const PROXY = { trustProxy: ["127.0.0.1/32"] };
const FILES = { "index.html": "<p>home", "about.html": "<p>about", "app.js": "start()" };

/** Sends a visit through a trusted proxy that adds the visitor's address and country. */
function visit(
  platform: TestPlatform,
  path: string,
  { from = "192.0.2.1", browser = BROWSER, ...headers }: Readonly<Record<string, string>> = {},
) {
  return platform.get("shop.localhost", path, {
    "user-agent": browser,
    "x-forwarded-for": from,
    "cf-ipcountry": from === "192.0.2.2" ? "JP" : "NO",
    ...headers,
  });
}

/**
 * Waits until the traffic report has `requests` requests. Front edges report their requests a
 * moment later.
 */
const report = (platform: TestPlatform, requests: number, query = "") =>
  until(
    async () => (await platform.api("GET", `/v1/projects/shop/traffic${query}`)).json,
    ({ totals }) => totals.requests >= requests,
  );

async function publish(platform: TestPlatform): Promise<void> {
  await createProject(platform, "shop");
  await deploy(platform, "shop", { files: FILES });
}

Deno.test("traffic counts page views, visitors and bots", () =>
  withPlatform(async (platform) => {
    await publish(platform);
    await visit(platform, "/", { referer: "https://news.example/a?b=c" });
    await visit(platform, "/app.js", { referer: "https://news.example/" });
    await visit(platform, "/", { from: "192.0.2.2", browser: PHONE });
    await visit(platform, "/about?x=1", { referer: "http://shop.localhost/" });
    await visit(platform, "/missing");
    await visit(platform, "/", { browser: CRAWLER, from: "192.0.2.3" });
    const { totals, pages, referrers, countries, devices, statuses, times, ...rest } = await report(
      platform,
      6,
    );
    const { steps, stepSeconds } = rest;
    assert.deepEqual(totals, {
      requests: 6,
      visitors: 2,
      pageViews: 3,
      bots: 1,
      failures: 0,
      bytes: totals.bytes,
    });
    assert.deepEqual(pages, [{ value: "/", count: 2 }, { value: "/about", count: 1 }]);
    assert.deepEqual(referrers, [{ value: "news.example", count: 1 }]);
    assert.deepEqual(countries, [{ value: "NO", count: 4 }, { value: "JP", count: 1 }]);
    assert.deepEqual(devices, [
      { value: "desktop", count: 4 },
      { value: "mobile", count: 1 },
    ]);
    assert.deepEqual(statuses, [{ status: 200, count: 5 }, { status: 404, count: 1 }]);
    assert.deepEqual(
      times.map(({ layer, count }: { layer: string; count: number }) => [
        layer,
        count,
      ]),
      [["static", 6]],
    );
    // Because the project is new, its traffic is reported per minute.
    assert.equal(stepSeconds, 60);
    assert.equal(steps.length, 24);
    assert.equal(steps.at(-1).requests + steps.at(-2).requests, 6);
  }, PROXY));

Deno.test("traffic counts a request as a page view if its headers identify it as one", () =>
  withPlatform(async (platform) => {
    await publish(platform);
    const { headers } = await visit(platform, "/", { "sec-fetch-dest": "document" });
    const etag = String(headers.etag);
    const again = await visit(platform, "/", {
      "sec-fetch-dest": "document",
      "if-none-match": etag,
    });
    assert.equal(again.status, 304);
    await visit(platform, "/", { "sec-fetch-dest": "empty" });
    await visit(platform, "/", { "sec-fetch-dest": "document", "sec-purpose": "prefetch" });
    assert.deepEqual((await report(platform, 4, "?range=hour")).pages, [{ value: "/", count: 2 }]);
  }, PROXY));

Deno.test("preview traffic is counted separately, and unknown environments are refused", () =>
  withPlatform(async (platform) => {
    await publish(platform);
    const preview = await deploy(platform, "shop", { files: FILES, prod: false, branch: "blue" });
    await platform.get(new URL(preview.urls.unique).hostname, "/", { "user-agent": BROWSER });
    assert.equal((await report(platform, 1, "?environment=preview")).totals.requests, 1);
    assert.equal((await report(platform, 0)).totals.requests, 0);
    const unknown = await platform.api("GET", "/v1/projects/shop/traffic?environment=x");
    assert.equal(unknown.status, 404);
  }));

Deno.test("traffic survives a restart and is deleted with its project", async () => {
  await inTestFolder(async (dataDir) => {
    const first = await start(dataDir, PROXY);
    await publish(first);
    await visit(first, "/");
    await first.shutdown();
    const second = await start(dataDir, PROXY);
    await visit(second, "/");
    await visit(second, "/", { from: "192.0.2.9" });
    const { totals } = await report(second, 3, "?range=90d");
    assert.deepEqual([totals.requests, totals.visitors], [3, 2]);
    const project = (await second.api("GET", "/v1/projects/shop")).json;
    assert.equal((await second.api("DELETE", `/v1/projects/${project.id}`)).status, 204);
    await createProject(second, "shop");
    assert.equal((await report(second, 0, "?range=90d")).totals.requests, 0);
    await second.shutdown();
  });
});
