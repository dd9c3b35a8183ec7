/**
 * Walks through the whole dashboard, starting with an empty data directory and using only a
 * browser. Runs only if `WALK=<folder>` is set, and stores the images for the README's animation in
 * that folder.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { BROWSER_TEST, hearComplaints, withChromium } from "../helpers/chromium.ts";
import { makeTestFolder } from "../../src/lib/_test_folder.ts";
import { makeRepository, serveGit, type TestRepository } from "../../src/lib/_test_git.ts";
import { NODE_MAJOR } from "../helpers/compute_server.ts";
import { PASSWORD } from "../helpers/page_visitor.ts";
import { start, type TestPlatform } from "../helpers/platform.ts";

const PICTURES = Deno.env.get("WALK");
const HARBOUR = "/workspaces/default/projects/harbour";

const site = (title: string) =>
  `<!doctype html><title>${title}</title><link rel="stylesheet" href="/site.css"><h1>${title}</h1>`;

/** A site with a server and a scheduled task. */
const FILES = {
  "index.html": site("Harbour"),
  "site.css": "body { font: 18px system-ui; margin: 4rem; color: #0b4f6c }",
  "api/tides.js": `export default (request, response) =>
  response.end(process.env.GREETING ?? "High tide at 06:41");
`,
  ".nvmrc": NODE_MAJOR,
  "svc.toml": `[[cron]]\npath = "/api/tides"\nschedule = "0 6 * * *"\n`,
};

const RULES = `schemaVersion = "EDGE_RULE_SET_V1"

[[rules]]
id = "old-timetable"
condition = { path = { type = "exact", value = "/timetable" } }
action = { type = "redirect", target = "/api/tides", statusCode = 308 }
`;

class Walk {
  readonly page: Page;
  readonly browser: Browser;
  readonly platform: TestPlatform;
  readonly folder: string;
  readonly repository: TestRepository;
  #steps = 0;

  constructor(parts: Pick<Walk, "page" | "browser" | "platform" | "folder" | "repository">) {
    this.page = parts.page;
    this.browser = parts.browser;
    this.platform = parts.platform;
    this.folder = parts.folder;
    this.repository = parts.repository;
  }

  /** Takes a screenshot. */
  async show(caption: string): Promise<void> {
    const name = `${String(++this.#steps).padStart(2, "0")} ${caption}.jpg`;
    await this.page.screenshot({ path: join(PICTURES!, name), quality: 75, type: "jpeg" });
  }

  open = (path: string) => this.page.goto(`http://127.0.0.1:${this.platform.port}${path}`);
  press = (name: string | RegExp) => this.page.getByRole("button", { name }).first().click();
  follow = (name: string) => this.page.getByRole("link", { name, exact: true }).first().click();
  fill = (label: string, text: string) => this.page.getByLabel(label, { exact: true }).fill(text);
  see = (text: string) => this.page.getByText(text).first().waitFor();
  /** Presses the button in the confirmation dialog. */
  confirm = (word: string) =>
    this.page.getByRole("dialog").getByRole("button", { name: word }).click();

  async visit(path: string): Promise<string> {
    return (await this.platform.get("harbour.localhost", path)).text;
  }
}

async function claim(walk: Walk): Promise<void> {
  await walk.open(new URL(walk.platform.ownerLink!).pathname);
  await walk.fill("Your name", "Olga");
  await walk.fill("Email address", "olga@example.com");
  await walk.fill("Password", PASSWORD);
  await walk.show("Claim the platform");
  await walk.press("Claim this platform");
  await walk.see("Import a git repository");
  await walk.press("Sign out");
  await walk.fill("Email address", "olga@example.com");
  await walk.fill("Password", PASSWORD);
  await walk.press("Sign in");
  await walk.see("Import a git repository");
  await walk.show("Choose how to start");
}

async function importRepository(walk: Walk, url: string): Promise<void> {
  await walk.follow("Import a git repository");
  await walk.fill("URL", `${url}/harbour`);
  await walk.press("Continue");
  await walk.see("What to deploy");
  await walk.show("Import a git repository");
  let loads = 0;
  const count = () => loads++;
  walk.page.on("load", count);
  await walk.press(/^Deploy main/);
  await walk.see("In production");
  walk.page.off("load", count);
  assert.ok(loads < 10, `the deployment's page was loaded ${loads} times`);
  await walk.show("Watch the build until the site is live");
  assert.match(await walk.visit("/"), /<h1>Harbour/);
  assert.equal(await walk.visit("/api/tides"), "High tide at 06:41");
}

async function uploadFolder(walk: Walk): Promise<void> {
  const folder = join(walk.folder, "menu");
  await Deno.mkdir(folder);
  await Deno.writeTextFile(join(folder, "index.html"), site("Menu"));
  await walk.open("/");
  await walk.follow("New project");
  await walk.follow("Upload a folder or zip");
  await walk.fill("Project name", "menu");
  await walk.page.locator("#folder").setInputFiles(folder);
  await walk.show("Upload a folder");
  await walk.press("Upload and deploy");
  await walk.see("In production");
  assert.match((await walk.platform.get("menu.localhost", "/")).text, /<h1>Menu/);
}

async function setVariable(walk: Walk): Promise<void> {
  await walk.open(`${HARBOUR}/environments`);
  await walk.fill("Name", "GREETING");
  await walk.page.getByLabel("Kind", { exact: true }).selectOption("plain");
  await walk.fill("Value", "High tide at noon");
  await walk.press("Set variable");
  await walk.see("Variable set.");
  await walk.show("Set a variable");
  await walk.press(/^Redeploy now to apply/);
  await walk.confirm("Redeploy to production");
  await walk.see("Redeployed the same files");
  assert.equal(await walk.visit("/api/tides"), "High tide at noon");
}

async function sharePreview(walk: Walk): Promise<void> {
  await walk.open(`${HARBOUR}/settings`);
  await walk.page.getByLabel("Who can visit").selectOption("members");
  await walk.page.locator("#previews").getByRole("button", { name: "Save" }).click();
  await walk.see("Only members of this workspace can visit previews.");
  await walk.repository.commit("lanterns", { "index.html": site("Lanterns on the quay") });
  await walk.open(`${HARBOUR}/deploy?branch=lanterns`);
  await walk.press(/^Deploy lanterns/);
  await walk.press("Share");
  const link = await walk.page.locator("#share-url").textContent();
  await walk.show("Share a preview");
  const guest = await (await walk.browser.newContext()).newPage();
  await guest.goto(new URL("/", link!).href);
  assert.match(guest.url(), /\/sign-in/);
  await guest.goto(link!);
  assert.equal(await guest.title(), "Lanterns on the quay");
  assert.match(await walk.visit("/"), /<h1>Harbour/);
}

async function publishRule(walk: Walk): Promise<void> {
  await walk.open(`${HARBOUR}/rules`);
  await walk.fill("Rules as TOML", RULES);
  await walk.see("No problems found.");
  await walk.press("Publish to production");
  await walk.page.getByRole("dialog").waitFor();
  await walk.show("Publish a rule");
  await walk.confirm("Publish");
  await walk.see("Rules published.");
  const moved = await walk.platform.get("harbour.localhost", "/timetable");
  assert.equal(moved.status, 308);
}

async function queryDatabase(walk: Walk): Promise<void> {
  await walk.open(`${HARBOUR}/databases`);
  await walk.fill("Name", "boats");
  await walk.press("Create");
  await walk.see("Creating the database.");
  await walk.follow("SQL");
  await walk.fill(
    "SQL",
    "CREATE TABLE boats (name text, berth int);\n" +
      "INSERT INTO boats VALUES ('Kestrel', 14), ('Heron', 3);\n" +
      "SELECT * FROM boats ORDER BY berth;",
  );
  await walk.page.getByLabel("Allow writes").check();
  await walk.press("Run");
  const rows = walk.page.getByRole("region", { name: "Rows" });
  await rows.filter({ hasText: /Heron\s*3\s*Kestrel\s*14/ }).scrollIntoViewIfNeeded();
  await walk.show("Query a database");
}

async function runTask(walk: Walk): Promise<void> {
  await walk.open(`${HARBOUR}/cron`);
  await walk.press(/^Run now/);
  await walk.see("The task ran.");
  await walk.see("status 200");
  await walk.show("Run a scheduled task");
}

async function rollBack(walk: Walk): Promise<void> {
  await walk.open(HARBOUR);
  await walk.press("Roll back to the previous deployment");
  await walk.page.getByRole("dialog").waitFor();
  await walk.show("Roll back");
  await walk.confirm("Roll back");
  await walk.see("Rolled back to the previous deployment.");
  assert.equal(await walk.visit("/api/tides"), "High tide at 06:41");
  await walk.open("/");
  await walk.page.getByRole("link", { name: "menu", exact: true }).first().waitFor();
  await walk.show("See all projects");
}

Deno.test(
  "a person claims, imports, uploads, shares, routes, queries, runs and rolls back in a browser",
  { ...BROWSER_TEST, ignore: BROWSER_TEST.ignore || PICTURES === undefined },
  async () => {
    await Deno.mkdir(PICTURES!, { recursive: true });
    const folder = await makeTestFolder("svc-walk-");
    const repository = await makeRepository(folder, "harbour");
    await repository.commit("main", FILES, "Open the harbour");
    await using server = serveGit(folder);
    const platform = await start(join(folder, "data"), { allowPrivateUpstreams: true });
    try {
      await withChromium(async (browser) => {
        const context = await browser.newContext({ viewport: { width: 1000, height: 690 } });
        context.setDefaultTimeout(240_000);
        const page = await context.newPage();
        const complaints = hearComplaints(page);
        const walk = new Walk({ page, browser, platform, folder, repository });
        await claim(walk);
        await importRepository(walk, server.url);
        await uploadFolder(walk);
        await setVariable(walk);
        await sharePreview(walk);
        await publishRule(walk);
        await queryDatabase(walk);
        await runTask(walk);
        await rollBack(walk);
        assert.deepEqual(complaints, []);
      });
    } finally {
      await platform.shutdown();
      await Deno.remove(folder, { recursive: true });
    }
  },
);
