/** Opens the plain site at its own hostname in a browser. */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { BROWSER_TEST, hearComplaints, SHOTS, withChromium } from "../helpers/chromium.ts";
import { copySite, type Sandbox, withSandbox } from "../helpers/sandbox.ts";

async function withPlainSite(
  test: (parts: { browser: Browser; box: Sandbox; base: string }) => Promise<void>,
): Promise<void> {
  await withSandbox(async (box) => {
    await copySite("plain", box.site);
    const { port } = await box.start();
    await box.json(["init", "--create"]);
    await box.json(["deploy", "--prod"]);
    await withChromium((browser) =>
      test({ browser, box, base: `http://kestrel-hut.localhost:${port}` })
    );
  });
}

Deno.test({
  name: "Chromium shows the plain site at its hostname without console errors",
  ...BROWSER_TEST,
  async fn() {
    await withPlainSite(async ({ browser, base }) => {
      const page = await browser.newPage({ viewport: { width: 1100, height: 900 } });
      const complaints = hearComplaints(page);

      const home = await page.goto(base, { waitUntil: "networkidle" });
      assert.equal(home?.status(), 200);
      assert.equal(await page.title(), "Kestrel Hut · 2,184 m");
      assert.match(await page.locator("h1").innerText(), /Forty beds, one stove/);
      await page.locator("#daylight[data-ready=true]").waitFor();
      const picture = await page.locator(".view img").evaluate((image) =>
        (image as unknown as { naturalWidth: number }).naturalWidth
      );
      assert.ok(picture > 0, "The picture is not shown");
      const color = await page.locator(".facts div").first().evaluate((element) =>
        (globalThis as unknown as { getComputedStyle(of: unknown): { borderTopWidth: string } })
          .getComputedStyle(element).borderTopWidth
      );
      assert.equal(color, "2px", "The style sheet is not applied");
      await page.screenshot({ path: join(SHOTS, "plain-home.png"), fullPage: true });

      await page.getByRole("link", { name: "Walks" }).click();
      await page.getByRole("link", { name: "Two lakes" }).click();
      await page.waitForURL(`${base}/walks/two-lakes`);
      assert.equal(await page.locator("h1").innerText(), "Two lakes");

      await page.goto(`${base}/touren/north-gully`);
      assert.equal(page.url(), `${base}/walks/north-gully`);
      assert.deepEqual(complaints, []);

      const lost = await page.goto(`${base}/no/such/path`);
      assert.equal(lost?.status(), 404);
      assert.match(await page.locator("h1").innerText(), /not on the map/);
      await page.screenshot({ path: join(SHOTS, "plain-404.png") });
    });
  },
});
