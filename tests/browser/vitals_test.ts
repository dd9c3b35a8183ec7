/**
 * Tests web vitals from end to end: a browser measures them, our script sends them, and the page
 * and the CLI show them.
 */
import assert from "node:assert/strict";
import { until } from "../../src/lib/_test_until.ts";
import { BROWSER_TEST, hearComplaints, withChromium } from "../helpers/chromium.ts";
import { createProject, deploy, STATIC_MANIFEST, withPlatform } from "../helpers/platform.ts";

/**
 * A user agent without "HeadlessChrome", because that word counts as a bot. The user agent is set
 * with a flag, which also applies to beacons.
 */
const PERSON = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) " +
  "Chrome/140.0.0.0 Safari/537.36";
const PAGE = `<!doctype html><html lang="en"><head><title>Hut</title><link rel="icon" href="data:,">
<meta http-equiv="Content-Security-Policy" content="default-src 'self'; img-src data:">
<script defer src="/_svc/vitals.js"></script></head>
<body><h1>The hut</h1><button>Open</button></body></html>`;

Deno.test({
  name: "Chromium measures web vitals and sends them when the visitor leaves the page",
  ...BROWSER_TEST,
  fn: () =>
    withPlatform(async (platform) => {
      await createProject(platform, "shop");
      await deploy(platform, "shop", {
        files: { "index.html": PAGE },
        manifest: { ...STATIC_MANIFEST, vitals: true },
      });
      await withChromium(async (browser) => {
        const context = await browser.newContext();
        const page = await context.newPage();
        const complaints = hearComplaints(page);
        await page.goto(`http://shop.localhost:${platform.port}/`, { waitUntil: "networkidle" });
        await page.getByRole("button").click();
        // Waits for two frames, because the browser reports an interaction only after the next
        // paint.
        await page.evaluate(
          "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
        );
        await page.goto("about:blank");
        const read = async () =>
          (await platform.api("GET", "/v1/projects/shop/traffic")).json.vitals;
        await until(async () => await read() !== undefined);
        const { all, pages } = await read();
        assert.deepEqual(pages.map(({ path }: { readonly path: string }) => path), ["/"]);
        for (const vital of ["lcp", "fcp", "ttfb", "cls"]) {
          assert.equal(all[vital]?.count, 1, vital);
        }
        assert.equal(all.cls.p75, 0);
        assert.ok(all.lcp.p75 > 0 && all.lcp.p75 < 60_000);
        assert.deepEqual(await context.cookies(), []);
        assert.deepEqual(complaints, []);
      }, [`--user-agent=${PERSON}`]);
    }),
});
