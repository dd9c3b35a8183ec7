/** Tests the error overlay of `svc dev` on a project's pages in Chromium. */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { BROWSER_TEST, withChromium } from "../helpers/chromium.ts";
import { type Served, startServing } from "../helpers/dev_program.ts";

const PAGE = `<!doctype html><link rel="icon" href="data:,"><p>Kestrel</p>`;
const rules = (target: string) =>
  `schemaVersion = "EDGE_RULE_SET_V1"
[[rules]]
id = "start"
condition = { path = { type = "exact", value = "/start" } }
action = { type = "rewrite", target = "${target}" }
[[rules]]
id = "hello"
condition = { path = { type = "exact", value = "/hello" } }
action = { type = "pipeline", steps = [{ handle = "hello" }] }
`;
const WRONG_RULES = rules("/index.html").replaceAll('type = "exact"', 'type = "<b>exact"');
const hello = (body: string) => `export default () => {\n  ${body}\n};\n`;
const WORKING = hello(
  'return new Response("<p>Hello</p>", { headers: { "content-type": "text/html" } });',
);

async function withDev(
  files: Readonly<Record<string, string>>,
  run: (
    dev: Served,
    write: (path: string, text: string) => Promise<void>,
    browser: Browser,
  ) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "svc-overlay-" });
  await Deno.mkdir(join(folder, "functions"));
  const write = (path: string, text: string) => Deno.writeTextFile(join(folder, path), text);
  for (const [path, text] of Object.entries(files)) await write(path, text);
  const dev = await startServing(["dev", "--port", "0"], { cwd: folder });
  try {
    await withChromium((browser) => run(dev, write, browser));
  } finally {
    assert.equal(await dev.end(), 0, dev.lines.join("\n"));
    await Deno.remove(folder, { recursive: true });
  }
}

const overlayOf = (page: Page) => page.locator("svc-overlay section");
const textsOf = (page: Page) => page.locator("svc-overlay pre").allTextContents();

Deno.test({
  name: "dev shows errors in rules and functions over the page until they are fixed",
  ...BROWSER_TEST,
  fn: () =>
    withDev({
      "index.html": PAGE,
      "svc.rules.toml": rules("/index.html"),
      "functions/hello.ts": WORKING,
    }, async (dev, write, browser) => {
      const page = await browser.newPage();
      await page.goto(`${dev.url}/start`);
      assert.equal(await overlayOf(page).count(), 0);

      await write("svc.rules.toml", WRONG_RULES);
      await overlayOf(page).waitFor();
      const texts = await textsOf(page);
      assert.equal(texts.length, 2, texts.join("\n"));
      assert.match(
        texts[0]!,
        /^svc\.rules\.toml:4:\d+: error: .*\n {2}4 \| condition = .*<b>exact.*\n .*\^/,
      );
      assert.equal(
        await page.locator("svc-overlay b").count(),
        0,
        "the overlay shows markup as text",
      );
      assert.equal(
        await page.locator("p").first().innerText(),
        "Kestrel",
        "the page below stays unchanged",
      );
      assert.equal(
        await page.locator("body script").count(),
        0,
        "the script leaves the page as it was",
      );

      await page.getByRole("button", { name: "Close" }).click();
      assert.equal(await overlayOf(page).count(), 0);
      await write("functions/hello.ts", hello("return (;"));
      await overlayOf(page).waitFor();
      await page.waitForFunction(
        `document.querySelector("svc-overlay")?.shadowRoot.querySelectorAll("pre").length === 3`,
      );
      assert.match(
        (await textsOf(page)).join("\n"),
        /functions\/hello\.ts:2:\d+: error: .*\n {2}2 \| {3}return \(;/,
      );
      await page.keyboard.press("Escape");
      assert.equal(await overlayOf(page).count(), 0);
      await page.reload();
      await overlayOf(page).waitFor();

      await write("functions/hello.ts", WORKING);
      await write("svc.rules.toml", rules("/index.html"));
      await overlayOf(page).waitFor({ state: "detached" });
    }),
});

Deno.test({
  name: "dev shows a function's error and source on the page that failed to render",
  ...BROWSER_TEST,
  fn: () =>
    withDev({
      "index.html": PAGE,
      "svc.rules.toml": rules("/index.html"),
      "functions/hello.ts": hello("const nothing: any = undefined;\n  return nothing.missing();"),
    }, async (dev, write, browser) => {
      const page = await browser.newPage();
      const response = await page.goto(`${dev.url}/hello`);
      assert.ok(response!.status() >= 500, String(response!.status()));
      await overlayOf(page).waitFor();
      const [text] = await textsOf(page);
      assert.match(
        text!,
        /^functions\/hello\.ts:3:\d+: error: .*missing.*\n {2}3 \| {3}return nothing\.missing\(\);/,
      );
      await write("functions/hello.ts", WORKING);
      await page.getByText("Hello", { exact: true }).waitFor();
      assert.equal(await overlayOf(page).count(), 0);
    }),
});

Deno.test({
  name: "dev changes a framework's pages only while rules are invalid",
  ...BROWSER_TEST,
  fn: () =>
    withDev({
      "svc.toml": '[dev]\ncommand = "node server.mjs"\n',
      "svc.rules.toml": rules("/"),
      "functions/hello.ts": WORKING,
      "server.mjs": `
import { createServer } from "node:http";
createServer((request, response) => {
  if (request.url === "/end") throw new Error("The server <i>broke</i>");
  response.setHeader("content-type", "text/html");
  response.end(${JSON.stringify(PAGE)});
}).listen(process.env.PORT);
`,
    }, async (dev, write, browser) => {
      const page = await browser.newPage();
      const source = async () => await (await page.goto(dev.url))!.text();
      assert.equal(await source(), PAGE);
      await write("svc.rules.toml", WRONG_RULES);
      await dev.said(/Keeping the previous rules/);
      assert.match(await source(), /__svc\/reload\.js/);
      await overlayOf(page).waitFor();
      // The overlay closes just before the page reloads, and the reload would interrupt a visit.
      await page.evaluate("globalThis.isOld = true");
      await write("svc.rules.toml", rules("/"));
      await page.waitForFunction(
        `globalThis.isOld === undefined && document.readyState === "complete"`,
      );
      assert.equal(await overlayOf(page).count(), 0);
      assert.equal(await source(), PAGE);
      await page.goto(`${dev.url}/end`);
      await page.getByRole("heading").waitFor();
      await dev.said(/The dev server exited/);
      await page.goto(dev.url);
      assert.match(
        await page.locator("pre").innerText(),
        /Error: The server <i>broke<\/i>\n[^]*server\.mjs:4/,
      );
    }),
});
