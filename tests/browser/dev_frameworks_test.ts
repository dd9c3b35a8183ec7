/**
 * Runs each framework in the specification under `svc dev`. In Chromium, which uses the public
 * port, saved changes must appear through the framework's own mechanism. `DEV_TESTS=all` installs
 * and runs all of them.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { until } from "../../src/lib/_test_until.ts";
import { BROWSER_TEST, withChromium } from "../helpers/chromium.ts";
import { type FrameworkName, harbourRules, withFramework } from "../helpers/dev_frameworks.ts";
import type { Served } from "../helpers/dev_program.ts";

interface Case {
  readonly name: FrameworkName;
  readonly file: string;
  readonly edit: (source: string) => string;
  /** Whether the page shows the changed text or style. */
  readonly shows: (page: Page) => Promise<boolean>;
}

const hasText = (page: Page) =>
  page.locator("body").innerText().then((text) => text.includes("Besuche:"));
const inText = (source: string) => source.replace("visits: ", "Besuche: ");
const fontOf = (page: Page) =>
  page.evaluate("getComputedStyle(document.body).fontFamily").then((font) => font === "monospace");

/**
 * Frameworks that replace modules in the page. Astro's own pages are reloaded, but their styles are
 * replaced.
 */
const CASES: readonly Case[] = [
  { name: "nuxt", file: "app/pages/index.vue", edit: inText, shows: hasText },
  { name: "sveltekit", file: "src/routes/+page.svelte", edit: inText, shows: hasText },
  {
    name: "astro",
    file: "src/layouts/page.astro",
    edit: (source) => source.replace("font-family: serif", "font-family: monospace"),
    shows: fontOf,
  },
];

async function locationOf({ port }: Served): Promise<string | null> {
  const response = await fetch(`http://127.0.0.1:${port}/harbour`, { redirect: "manual" });
  await response.body?.cancel();
  return response.headers.get("location");
}

/** Saves a rule, which must take effect while the page stays open. */
async function changeRule(dev: Served, folder: string): Promise<void> {
  assert.equal(await locationOf(dev), "/one");
  const from = dev.lines.length;
  await Deno.writeTextFile(join(folder, "svc.rules.toml"), harbourRules("/two"));
  await dev.said(/1 rule is active/, from);
  assert.equal(await locationOf(dev), "/two");
}

const LONG = {
  ...BROWSER_TEST,
  ignore: BROWSER_TEST.ignore || Deno.env.get("DEV_TESTS") !== "all",
};

for (const { name, file, edit, shows } of CASES) {
  Deno.test({
    name: `a change to a ${name} project appears in Chromium without a reload`,
    ...LONG,
    fn: () =>
      withFramework(name, async ({ dev, folder }) => {
        await withChromium(async (browser) => {
          const page = await browser.newPage();
          const connected = new Promise((resolve) =>
            page.on("console", (line) => line.text().includes("[vite] connected") && resolve(null))
          );
          await page.goto(dev.url, { waitUntil: "load", timeout: 120_000 });
          await connected;
          const path = join(folder, file);
          const before = await Deno.readTextFile(path);
          // After the first change, Vite's optimizer can reload the page once.
          await Deno.writeTextFile(path, edit(before));
          await until(() => shows(page));
          await page.waitForLoadState("networkidle");
          await page.evaluate("globalThis.stays = true");
          await Deno.writeTextFile(path, before);
          await until(async () => !await shows(page));
          assert.equal(await page.evaluate("globalThis.stays"), true, "The page was reloaded");
        });
        await changeRule(dev, folder);
      }),
  });
}

Deno.test({
  name: "a change to a Nitro server takes effect on the next request",
  ...LONG,
  fn: () =>
    withFramework("nitro", async ({ dev, folder }) => {
      const read = async () => await (await fetch(`http://127.0.0.1:${dev.port}/`)).text();
      assert.match(await read(), /visits:/);
      const path = join(folder, "server/routes/index.ts");
      await Deno.writeTextFile(path, inText(await Deno.readTextFile(path)));
      await until(read, (text) => text.includes("Besuche:"));
      await changeRule(dev, folder);
    }),
});
