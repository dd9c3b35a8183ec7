/** Checks that a browser requests and shows a converted image. */
import assert from "node:assert/strict";
import { BROWSER_TEST, hearComplaints, withChromium } from "../helpers/chromium.ts";
import { makePng } from "../helpers/images.ts";
import { createProject, deploy, withPlatform } from "../helpers/platform.ts";

const source = (width: number): string => `/_svc/image?url=/hut.png&amp;w=${width}`;
const PAGE = `<!doctype html><html lang="en"><head><title>Hut</title><link rel="icon" href="data:,">
</head><body><img alt="The hut" width="320" srcset="${source(640)} 640w, ${source(1080)} 1080w"
sizes="320px" src="${source(640)}"></body></html>`;

/** The image element's properties that the test checks. */
interface Shown {
  readonly naturalWidth: number;
  readonly currentSrc: string;
}

Deno.test({
  name: "Chromium requests and shows an AVIF image",
  ...BROWSER_TEST,
  fn: () =>
    withPlatform(async (platform) => {
      await createProject(platform, "shop");
      await deploy(platform, "shop", {
        files: { "index.html": PAGE, "hut.png": makePng(1200, 800) },
      });
      await withChromium(async (browser) => {
        const page = await browser.newPage();
        const complaints = hearComplaints(page);
        const types: string[] = [];
        page.on("response", (response) => {
          if (response.url().includes("/_svc/image")) {
            types.push(`${response.status()} ${response.headers()["content-type"]}`);
          }
        });
        await page.goto(`http://shop.localhost:${platform.port}/`, { waitUntil: "networkidle" });
        const shown = await page.locator("img").evaluate((image) => {
          const { naturalWidth, currentSrc } = image as unknown as Shown;
          return { naturalWidth, currentSrc };
        });
        assert.match(shown.currentSrc, /w=640$/);
        assert.equal(shown.naturalWidth, 320, "the image is 640 pixels wide, for 320 CSS pixels");
        assert.deepEqual(types, ["200 image/avif"]);
        assert.deepEqual(complaints, []);
      });
    }),
});
