/**
 * One walk from an empty data directory with nothing but a browser. With `UPDATE_WALK` it is
 * recorded as `docs/walk.png`, the moving picture of the README.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { makeTestFolder } from "../../src/lib/_test_folder.ts";
import { makeRepository, serveGit } from "../../src/lib/_test_git.ts";
import { ROOT } from "../../scripts/_source_files.ts";
import { animate } from "../helpers/animated_picture.ts";
import { BROWSER_TEST, hearComplaints, withChromium } from "../helpers/chromium.ts";
import { PASSWORD } from "../helpers/page_visitor.ts";
import { start, type TestPlatform } from "../helpers/platform.ts";

const PICTURE = Deno.env.get("UPDATE_WALK") === undefined ? undefined : join(ROOT, "docs/walk.png");
const FRAME_MS = 2500;
/** Longest wait for a build or a database. */
const PATIENCE_MS = 120_000;

const SERVER = (lead: string) =>
  `const greeting = Deno.env.get("GREETING") ?? "No greeting";
const page = "<!doctype html><title>Tides</title><h1>" + greeting + "</h1><p>${lead}</p>";
Deno.serve((request) => {
  if (new URL(request.url).pathname === "/api/tides") return new Response("counted");
  return new Response(page, { headers: { "content-type": "text/html" } });
});
`;

const RULES = `schemaVersion = "EDGE_RULE_SET_V1"

[[rules]]
id = "old-page"
condition.path = { type = "exact", value = "/old" }
action = { type = "redirect", target = "/", statusCode = 301 }
`;

interface Walk {
  readonly browser: Browser;
  readonly page: Page;
  readonly platform: TestPlatform;
  readonly folder: string;
  /** URL of the repository. */
  readonly repository: string;
  readonly frames: Uint8Array[];
}

/** Makes the repository `tides` with a branch `lanterns`, and the folder `harbour`. */
async function makeSources(folder: string): Promise<void> {
  const { commit, git } = await makeRepository(folder, "tides");
  await commit("main", {
    "main.ts": SERVER("Today's tides."),
    "deno.json": "{}\n",
    "svc.toml": '[[cron]]\npath = "/api/tides"\nschedule = "0 6 * * *"\n',
  }, "Show today's tides");
  await commit("lanterns", { "main.ts": SERVER("By lantern light.") }, "Add lanterns");
  await git("checkout", "--quiet", "main");
  await Deno.mkdir(join(folder, "harbour"));
  await Deno.writeTextFile(join(folder, "harbour/index.html"), "<h1>Harbour</h1>\n");
}

async function withWalk(run: (walk: Walk) => Promise<void>): Promise<void> {
  const folder = await makeTestFolder("svc-walk-");
  await makeSources(folder);
  await using git = serveGit(folder);
  const platform = await start(join(folder, "data"), { allowPrivateUpstreams: true });
  try {
    await withChromium(async (browser) => {
      const context = await browser.newContext({
        viewport: { width: 1000, height: 640 },
        reducedMotion: "reduce",
      });
      context.setDefaultTimeout(PATIENCE_MS);
      const page = await context.newPage();
      const complaints = hearComplaints(page);
      const repository = `${git.url}/tides`;
      await run({ browser, page, platform, folder, repository, frames: [] });
      assert.deepEqual(complaints, []);
    });
  } finally {
    await platform.shutdown();
    await Deno.remove(folder, { recursive: true });
  }
}

const CAPTION = "position:fixed;inset:auto 0 0;margin:0;padding:14px 28px;z-index:99;" +
  "background:#0b2a21;color:#fff;font:600 19px/1.3 sans-serif";

/** Records what the page shows, with a caption below it. */
async function record({ page, frames }: Walk, caption: string): Promise<void> {
  if (PICTURE === undefined) return;
  await page.evaluate(`{
    const strip = document.createElement("p");
    strip.id = "caption";
    strip.style.cssText = ${JSON.stringify(CAPTION)};
    strip.textContent = ${JSON.stringify(caption)};
    (document.querySelector("dialog[open]") ?? document.body).append(strip);
  }`);
  frames.push(await page.screenshot());
  await page.evaluate('document.getElementById("caption").remove()');
}

const press = (page: Page, name: string | RegExp) => page.getByRole("button", { name }).click();

/** Presses a button that asks, and says yes. */
async function confirm(page: Page, name: string, yes: string): Promise<void> {
  await page.getByRole("button", { name, exact: true }).first().click();
  await page.getByRole("dialog").getByRole("button", { name: yes, exact: true }).click();
}

/** Follows links by their names, from the overview. */
async function go(page: Page, ...names: readonly string[]): Promise<void> {
  await page.locator("a.mark").click();
  await page.waitForURL(/\/projects$/);
  for (const name of names) await page.getByRole("link", { name, exact: true }).first().click();
}

/** What the site of a project shows. */
const textOf = async ({ platform }: Walk, project: string) =>
  (await platform.get(`${project}.localhost`, "/")).text;

async function claim(walk: Walk): Promise<void> {
  const { page, platform } = walk;
  await page.goto(platform.ownerLink!);
  await page.getByLabel("Your name").fill("Olga");
  await page.getByLabel("Email").fill("olga@example.com");
  await page.getByLabel("Password").fill(PASSWORD);
  await record(walk, "Open the link that svc serve prints");
  await press(page, "Claim this platform");
  await page.getByRole("link", { name: "Import a git repository" }).waitFor();
  await record(walk, "Begin with a repository, a folder or a template");
}

async function importRepository(walk: Walk): Promise<void> {
  const { page, repository } = walk;
  await page.getByRole("link", { name: "Import a git repository" }).click();
  await page.getByLabel("URL").fill(repository);
  await press(page, "Continue");
  await page.getByText("Environment variables").click();
  await page.getByLabel("Variables", { exact: true }).fill("GREETING=Ebb");
  await record(walk, "Import a repository: branch and framework are detected");
  await press(page, /^Deploy main to production/);
  await page.waitForURL(/\/deployments\//);
  await page.getByText("In production").waitFor();
  await record(walk, "Its build, with the log");
  assert.match(await textOf(walk, "tides"), /<h1>Ebb<\/h1><p>Today's tides/);
}

async function uploadFolder(walk: Walk): Promise<void> {
  const { page, folder } = walk;
  await go(page, "New project", "Upload a folder or zip");
  await page.getByLabel("Project name").fill("harbour");
  await page.locator("#folder").setInputFiles(join(folder, "harbour"));
  await record(walk, "Upload a folder");
  await press(page, "Upload and deploy");
  await page.waitForURL(/\/deployments\//);
  await page.getByText("In production").waitFor();
  assert.match(await textOf(walk, "harbour"), /Harbour/);
  await go(page);
  await page.locator(".day .plot").nth(1).waitFor();
  await record(walk, "Both are live");
}

async function changeVariable(walk: Walk): Promise<void> {
  const { page } = walk;
  await go(page, "tides", "Settings", "Environments and variables");
  await page.getByLabel("Name", { exact: true }).fill("GREETING");
  await page.getByLabel("Value", { exact: true }).fill("Flood");
  await press(page, "Set variable");
  await page.getByText("Variable set").waitFor();
  await record(walk, "Change a variable, and apply it");
  await confirm(page, "Redeploy now to apply to production", "Redeploy to production");
  await page.waitForURL(/\/deployments\//);
  await page.getByText("In production").waitFor();
  assert.match(await textOf(walk, "tides"), /<h1>Flood<\/h1>/);
}

async function sharePreview(walk: Walk): Promise<void> {
  const { page, browser } = walk;
  await go(page, "tides", "Settings");
  await page.getByLabel("Who can visit").selectOption("members");
  await page.locator("#previews").getByRole("button", { name: "Save" }).click();
  await page.getByText("Only members can visit previews").waitFor();
  await go(page, "tides", "Deploy");
  await page.getByLabel("Branch").selectOption("lanterns");
  await press(page, "Show");
  await press(page, /^Deploy lanterns as a preview/);
  await page.waitForURL(/\/deployments\//);
  await page.locator("#facts .state.good").waitFor();
  await press(page, "Share");
  const link = await page.locator("#share-url").innerText();
  await record(walk, "Build a branch as a preview, and share it by a link");
  const guest = await browser.newPage();
  await guest.goto(link);
  await guest.getByText("By lantern light.").waitFor();
  await guest.close();
}

async function publishRule(walk: Walk): Promise<void> {
  const { page, platform } = walk;
  await go(page, "tides", "Settings", "Rules");
  await page.getByLabel("Rules as TOML").fill(RULES);
  await page.getByText("No problems found.").waitFor();
  await page.getByLabel("Rules as TOML").scrollIntoViewIfNeeded();
  await record(walk, "Write a rule: it is checked while you type");
  await press(page, "Publish to production");
  const dialog = page.getByRole("dialog");
  await dialog.waitFor();
  await record(walk, "What changes production asks first");
  await dialog.getByRole("button", { name: "Publish", exact: true }).click();
  await page.locator("#revisions .state.good").waitFor();
  assert.equal((await platform.get("tides.localhost", "/old")).status, 301);
}

async function queryDatabase(walk: Walk): Promise<void> {
  const { page } = walk;
  await go(page, "tides", "Data");
  await page.getByLabel("Name", { exact: true }).fill("log");
  await press(page, "Create");
  await page.waitForURL(/\/databases\/log/);
  await page.getByRole("link", { name: "SQL", exact: true }).click();
  await page.getByLabel("SQL", { exact: true }).fill(
    "CREATE TABLE tides (day date PRIMARY KEY, high text, low text);\n" +
      "INSERT INTO tides VALUES ('2026-12-01', '06:41', '12:58'), ('2026-12-02', '07:29', '13:44');\n" +
      "SELECT * FROM tides ORDER BY day;",
  );
  await page.getByLabel("Allow writes").check();
  await press(page, "Run");
  await page.getByRole("region", { name: "Rows" }).filter({ hasText: "07:29" }).waitFor();
  await page.getByLabel("SQL", { exact: true }).scrollIntoViewIfNeeded();
  await record(walk, "Query a PostgreSQL database");
}

async function runCron(walk: Walk): Promise<void> {
  const { page } = walk;
  await go(page, "tides", "Cron");
  await press(page, "Run now: /api/tides");
  await page.locator("#tasks .state.good").waitFor();
  await record(walk, "Run a scheduled task now");
}

async function rollBack(walk: Walk): Promise<void> {
  const { page } = walk;
  await go(page, "tides");
  await press(page, "Roll back to the previous deployment");
  const dialog = page.getByRole("dialog");
  await dialog.waitFor();
  await record(walk, "Roll back in one step");
  await dialog.getByRole("button", { name: "Roll back", exact: true }).click();
  await page.getByRole("button", { name: "Undo" }).waitFor();
  assert.match(await textOf(walk, "tides"), /<h1>Ebb<\/h1>/);
  // Nothing was live before.
  assert.equal(await page.getByRole("button", { name: /^Roll back to the previous/ }).count(), 0);
}

Deno.test({
  name: "a browser alone deploys, configures, shares, schedules, queries and rolls back",
  ...BROWSER_TEST,
  fn: () =>
    withWalk(async (walk) => {
      await claim(walk);
      await importRepository(walk);
      await uploadFolder(walk);
      await changeVariable(walk);
      await sharePreview(walk);
      await publishRule(walk);
      await queryDatabase(walk);
      await runCron(walk);
      await rollBack(walk);
      if (PICTURE !== undefined) await Deno.writeFile(PICTURE, animate(walk.frames, FRAME_MS));
    }),
});
