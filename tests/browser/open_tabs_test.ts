/**
 * Keeps a site's tabs open in Chromium through five deployments and a rollback. Chunks must still
 * load, and the server that rendered a tab's page must handle the page's actions and its form, even
 * without a script.
 */
import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import { BROWSER_TEST, hearComplaints, withChromium } from "../helpers/chromium.ts";
import { createProject, deploy, type TestPlatform, withPlatform } from "../helpers/platform.ts";

const DEPLOYMENTS = 6;

/** Renders the page, and handles only actions from its own version. */
const SERVER = `
import { createServer } from "node:http";
import { readFileSync } from "node:fs";
const version = readFileSync(new URL("version.txt", import.meta.url), "utf8");
createServer(async (request, response) => {
  if (request.url.startsWith("/action-")) {
    const [path] = request.url.split("?");
    let body = "";
    for await (const chunk of request) body += chunk;
    response.statusCode = path === "/action-" + version ? 200 : 404;
    response.setHeader("content-type", "text/html");
    return response.end("<!doctype html><title>action</title><p>version " + version + " took " + body + "</p>");
  }
  response.setHeader("content-type", "text/html");
  response.end(\`<!doctype html><title>version \${version}</title><link rel="icon" href="data:,">
    <script type="module" src="/assets/app-0123abc\${version}.js"></script>
    <form method="post" action="/action-\${version}" target="answer">
      <input name="word" value="hello"><button>Send</button>
    </form>
    <iframe name="answer"></iframe>\`);
}).listen(process.env.PORT);
`;

/**
 * Returns a script that loads a different chunk in each round, so that no chunk is in the browser's
 * cache yet.
 */
const APP = (version: number) => `
globalThis.load = async (round) => (await import("./lazy" + round + "-0123abc${version}.js")).default;
globalThis.act = async (word) => {
  const response = await fetch("/action-${version}", { method: "POST", body: "word=" + word });
  return response.status + " " + await response.text();
};
`;

const filesOf = (version: number) => ({
  "server/main.mjs": SERVER,
  "server/version.txt": String(version),
  [`client/assets/app-0123abc${version}.js`]: APP(version),
  ...Object.fromEntries(
    Array.from({ length: DEPLOYMENTS + 2 }, (_, round) => [
      `client/assets/lazy${round}-0123abc${version}.js`,
      `export default "chunk ${round} of ${version}";`,
    ]),
  ),
});

const MANIFEST = {
  version: 1,
  layers: [
    { name: "client", target: "STATIC", directory: "client" },
    {
      name: "server",
      target: "COMPUTE",
      directory: "server",
      entry: "server/main.mjs",
      runtime: { engine: "node" },
    },
  ],
  routes: [
    { pattern: "^/.*$", layer: "client", priority: 1 },
    { pattern: "^/.*$", layer: "server" },
  ],
};

interface Tab {
  readonly page: Page;
  readonly version: number;
  readonly complaints: readonly string[];
}

async function openTab(browser: Browser, url: string, version: number): Promise<Tab> {
  const context = await browser.newContext();
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const complaints = hearComplaints(page);
  await page.goto(url);
  assert.equal(await page.title(), `version ${version}`);
  return { page, version, complaints };
}

/** Uses a tab as a person would: loads a chunk, and submits the form with and without a script. */
async function use({ page, version, complaints }: Tab, round: number): Promise<void> {
  const where = `tab of ${version}, round ${round}`;
  assert.equal(await page.evaluate(`load(${round})`), `chunk ${round} of ${version}`, where);
  const acted = await page.evaluate(`act("round${round}")`);
  assert.match(
    String(acted),
    new RegExp(`^200 .*version ${version} took word=round${round}`),
    where,
  );
  await page.locator("input").fill(`form${round}`);
  await page.getByRole("button").click();
  const answer = page.frameLocator("iframe").getByText(`took word=form${round}`);
  assert.equal(await answer.textContent(), `version ${version} took word=form${round}`, where);
  assert.deepEqual(complaints, [], where);
}

Deno.test({
  name: "open tabs keep working through five deployments and a rollback",
  ...BROWSER_TEST,
  fn: () =>
    withPlatform(async (platform: TestPlatform) => {
      await createProject(platform, "shop");
      const release = (version: number) =>
        deploy(platform, "shop", { files: filesOf(version), manifest: MANIFEST });
      const first = await release(1);
      const url = `${first.urls.production}/`;
      await withChromium(async (browser) => {
        const tabs = [await openTab(browser, url, 1)];
        for (let version = 2; version <= DEPLOYMENTS; version++) {
          await release(version);
          for (const tab of tabs) await use(tab, version);
          if (version === 4) tabs.push(await openTab(browser, url, version));
        }
        const { status } = await platform.api("POST", "/v1/projects/shop/rollback", { json: {} });
        assert.equal(status, 200);
        for (const tab of tabs) await use(tab, DEPLOYMENTS + 1);
        for (const tab of tabs) {
          await tab.page.reload();
          assert.equal(await tab.page.title(), `version ${DEPLOYMENTS - 1}`);
          assert.deepEqual(tab.complaints, []);
        }
      });
    }),
});
