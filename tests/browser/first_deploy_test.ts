/**
 * Starts with an empty data directory, and uses only a browser to create live sites: from a git
 * repository and from local files, and also with JavaScript disabled.
 */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import type { Browser, Page as BrowserPage } from "playwright-core";
import { BROWSER_TEST, hearComplaints, withChromium } from "../helpers/chromium.ts";
import { makeTestFolder } from "../../src/lib/_test_folder.ts";
import { makeRepository } from "../../src/lib/_test_git.ts";
import { zip } from "../../src/lib/_test_zip.ts";
import { until } from "../../src/lib/_test_until.ts";
import { type Page, PASSWORD, Visitor } from "../helpers/page_visitor.ts";
import { start, type TestPlatform } from "../helpers/platform.ts";

const AT = "/workspaces/default";

/** A build that fails until the next commit fixes it. */
const PROJECT = {
  "package.json": JSON.stringify({ private: true, scripts: { build: "node build.mjs" } }),
  "build.mjs": "throw new Error('no tide table');",
};
const BUILD = `import { mkdirSync, writeFileSync } from "node:fs";
mkdirSync("dist", { recursive: true });
writeFileSync("dist/index.html", "<h1>" + process.env.GREETING + "</h1>");
`;

async function withFolder(
  run: (parts: { readonly folder: string; readonly platform: TestPlatform }) => Promise<void>,
): Promise<void> {
  const folder = await makeTestFolder("svc-first-");
  const platform = await start(join(folder, "data"), {
    gitRoots: [folder],
    allowPrivateUpstreams: true,
  });
  try {
    await run({ folder, platform });
  } finally {
    await platform.shutdown();
    await Deno.remove(folder, { recursive: true });
  }
}

/** Claims the platform. Returns the next page. */
async function claim(platform: TestPlatform, owner: Visitor): Promise<Page> {
  const { pathname } = new URL(platform.ownerLink!);
  const typed = { name: "Olga", email: "olga@example.com", password: PASSWORD };
  return await owner.submit(await owner.open(pathname), pathname, typed);
}

const FORM = '<form action="/_svc/forms/booking" method="post"><input name="email"></form>';

/** Waits until a deployment's page shows that the deployment has finished. */
const ended = (visitor: Visitor, path: string): Promise<Page> =>
  until(() => visitor.open(path), ({ html }) => !html.includes("state care moving"), 120_000);

Deno.test("a git repository goes live without JavaScript, and a failed build is retried", () =>
  withFolder(async ({ folder, platform }) => {
    const repository = await makeRepository(folder, "tides");
    await repository.commit("main", { "site/package.json": PROJECT["package.json"] });
    await repository.commit("main", { "site/build.mjs": PROJECT["build.mjs"] });
    const owner = new Visitor(platform);
    const overview = await claim(platform, owner);
    assert.equal(overview.path, `${AT}/projects`);
    for (const way of ["git", "upload", "template"]) {
      assert.ok(overview.html.includes(`${AT}/new-project/${way}`), way);
    }
    assert.ok(overview.html.includes(`export SVC_API_URL=${platform.url}`));

    const first = await owner.open(`${AT}/new-project/git`);
    const send = (gitUrl: string) =>
      owner.submit(first, `${AT}/new-project/git`, { gitUrl, token: "", privateKey: "" });
    const wrong = await send("ftp://git.example/x");
    assert.equal(wrong.status, 400);
    assert.match(wrong.html, /id="gitUrl-wrong"/);
    const typo = await send(`${repository.path}-typo`);
    assert.equal(typo.status, 400);
    assert.match(typo.html, /id="gitUrl-wrong">Cannot reach the repository: /);
    assert.match(typo.html, /<details class="more" open/);
    const projects = await owner.open(`${AT}/projects`);
    assert.doesNotMatch(projects.html, /projects\/tides/, "no project was created");

    const page = await send(repository.path);
    const deploy = `${AT}/projects/tides/deploy`;
    assert.equal(page.path, deploy);
    assert.match(page.html, /value="site" checked[^]*npm run build/);
    const unread = await owner.submit(page, deploy, { variables: "GREETING" });
    assert.match(unread.html, /Line 1 is not an assignment/);
    const failing = await owner.submit(page, deploy, { variables: "GREETING=ebb" });
    const failed = await ended(owner, failing.path);
    assert.match(failed.html, /no tide table/);

    await repository.commit("main", { "site/build.mjs": BUILD });
    const builds = await owner.open(`${AT}/projects/tides/builds`);
    const retry = `${failing.path}/retry`;
    assert.match(builds.html, /state bad">Failed/);
    const again = await owner.submit(builds, retry);
    assert.notEqual(again.path.split("?")[0], failing.path);
    assert.match(
      (await ended(owner, again.path)).html,
      /no tide table/,
      "a retry builds the same commit",
    );

    const mended = await owner.submit(await owner.open(deploy), deploy, {});
    assert.match((await ended(owner, mended.path)).html, /In production/);
    assert.equal((await platform.get("tides.localhost", "/")).text, "<h1>ebb</h1>");
    const listed = (await owner.open(`${AT}/projects/tides/builds`)).html;
    assert.match(listed, /state good">Built[^]*took [^]*state bad">Failed[^]*state bad">Failed/);
  }));

/** Opens a visitor's session in a browser. */
async function openBrowser(
  browser: Browser,
  { owner, platform }: { readonly owner: Visitor; readonly platform: TestPlatform },
  options: { readonly javaScriptEnabled?: boolean } = {},
) {
  const context = await browser.newContext(options);
  const [name = "", value = ""] = owner.cookie.split("=");
  await context.addCookies([{ name, value, url: `http://127.0.0.1:${platform.port}` }]);
  context.setDefaultTimeout(120_000);
  return await context.newPage();
}

/** Uploads a folder with the form, and waits until the deployment's page shows the result. */
async function uploadFolder(
  page: BrowserPage,
  folder: string,
  result: string | RegExp = "In production",
): Promise<void> {
  await page.locator("#folder").setInputFiles(folder);
  await page.getByRole("button", { name: "Upload and deploy" }).click();
  await page.waitForURL(/\/deployments\//);
  await page.getByText(result).first().waitFor();
}

Deno.test(
  "a folder is deployed from the browser twice, and a project and a template are built",
  BROWSER_TEST,
  () =>
    withFolder(({ folder, platform }) =>
      withChromium(async (browser) => {
        const owner = new Visitor(platform);
        await claim(platform, owner);
        const page = await openBrowser(browser, { owner, platform });
        const complaints = hearComplaints(page);
        const url = `http://127.0.0.1:${platform.port}`;
        const write = async (path: string, text: string) => {
          await Deno.mkdir(join(folder, path, ".."), { recursive: true });
          await Deno.writeTextFile(join(folder, path), text);
        };

        await write("harbour/index.html", "<h1>one</h1>");
        await write("harbour/css/site.css", "h1 { color: teal }");
        await write("harbour/contact.html", FORM);
        await write("harbour/.env", "SECRET=1");
        await write("harbour/node_modules/a/index.js", "x");
        await page.goto(url);
        await page.getByRole("link", { name: "Upload a folder or zip" }).click();
        await page.getByLabel("Project name").fill("harbour");
        await uploadFolder(page, join(folder, "harbour"));
        assert.equal((await platform.get("harbour.localhost", "/")).text, "<h1>one</h1>");
        assert.equal((await platform.get("harbour.localhost", "/css/site.css")).status, 200);
        assert.equal((await platform.get("harbour.localhost", "/.env")).status, 404);
        await page.goto(`${url}${AT}/projects/harbour/forms`);
        await page.getByRole("link", { name: "booking" }).waitFor();

        await write("harbour/index.html", "<h1>two</h1>");
        const sent: string[] = [];
        page.on("request", (request) => {
          if (request.url().includes("/v1/blobs")) sent.push(request.postData() ?? "");
        });
        await page.goto(`${url}${AT}/projects/harbour`);
        await page.locator("a.button", { hasText: /^Deploy$/ }).click();
        await uploadFolder(page, join(folder, "harbour"));
        assert.equal((await platform.get("harbour.localhost", "/")).text, "<h1>two</h1>");
        assert.equal(sent.length, 1, "only changed files are sent");

        await write("tides/package.json", PROJECT["package.json"]);
        await write("tides/build.mjs", BUILD.replace("process.env.GREETING", '"built"'));
        await page.goto(`${url}${AT}/new-project/upload`);
        await page.getByLabel("Project name").fill("tides");
        await uploadFolder(page, join(folder, "tides"));
        await page.getByRole("heading", { name: "Upload of tides (2 files)" }).waitFor();
        assert.match(await page.locator("#facts").innerText(), /Trigger\s+Upload/);
        assert.equal((await platform.get("tides.localhost", "/")).text, "<h1>built</h1>");

        await write("keys/index.html", "<h1>keys</h1>");
        await write("keys/id_rsa", "key");
        await page.goto(`${url}${AT}/new-project/upload`);
        await page.getByLabel("Project name").fill("keys");
        await uploadFolder(page, join(folder, "keys"), "id_rsa: Looks like a private SSH key");
        assert.equal((await platform.get("keys.localhost", "/")).status, 404);

        const plain = await openBrowser(browser, { owner, platform }, {
          javaScriptEnabled: false,
        });
        await plain.goto(`${url}${AT}/new-project/upload`);
        await plain.getByLabel("Project name").fill("plain");
        await plain.locator("#archive").setInputFiles({
          name: "site.zip",
          mimeType: "application/zip",
          buffer: Buffer.from(zip([{ path: "index.html", text: "<h1>zipped</h1>" }])),
        });
        await plain.getByRole("button", { name: "Upload and deploy" }).click();
        await plain.getByText("In production").waitFor();
        await plain.getByRole("heading", { name: "Upload of site.zip (1 file)" }).waitFor();
        assert.equal((await platform.get("plain.localhost", "/")).text, "<h1>zipped</h1>");

        await plain.goto(`${url}${AT}/new-project/template`);
        await plain.getByLabel("Project name").fill("hello");
        await plain.getByRole("button", { name: "Create and deploy" }).click();
        await plain.getByText("In production").waitFor();
        assert.match((await platform.get("hello.localhost", "/")).text, /This page is live/);
        assert.deepEqual(complaints, []);
      })
    ),
);
