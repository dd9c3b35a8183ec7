/**
 * Keeps tabs with frameworks' sites open in Chromium through five deployments and a rollback. The
 * tabs load pages and chunks for the first time, and the deployment that served a tab's page must
 * handle the page's forms and actions. The test installs packages, so it runs only if `OPEN_TABS`
 * is set to `all` or to comma-separated names.
 */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import type { Page, Response } from "playwright-core";
import { hear } from "../../scripts/_process.ts";
import { listFiles, ROOT } from "../../scripts/_source_files.ts";
import { BROWSER_TEST, hearComplaints, withChromium } from "../helpers/chromium.ts";
import { buildsProjects, nodeVariables } from "../helpers/node_program.ts";
import { type Sandbox, withSandbox } from "../helpers/sandbox.ts";

const WANTED = Deno.env.get("OPEN_TABS")?.split(",");
const FIXTURES = join(ROOT, "fixtures", "open_tabs");

const DEPLOYMENTS = 6;
/**
 * One round for each use of the open tab: after every deployment but the first, after the rollback,
 * and alongside a new tab.
 */
const ROUNDS = [2, 3, 4, 5, 6, 7, 8];

/** Every page of every app shows text such as `page 3 of version 1`. */
interface App {
  /** Buttons, and the kind of text that appears when each of them is pressed. */
  readonly buttons?: Readonly<Record<string, string>>;
  /** The text that appears in an open tab once a newer version is live. */
  readonly notice?: string;
  /** Console message from a tab that is reloaded because the cookie already names a newer page. */
  readonly reloading?: string;
}

const LOADS_PART = { "Load part": "part" };

const APPS: Readonly<Record<string, App>> = {
  nuxt: {},
  next: { buttons: LOADS_PART },
  astro: { buttons: LOADS_PART },
  sveltekit: { buttons: LOADS_PART, notice: "A new version is live" },
  "react-router": {
    buttons: LOADS_PART,
    reloading: "Detected manifest version mismatch, reloading...",
  },
};

/** Writes one version of an app. A file with `__ROUND__` in its name is written once per round. */
async function writeVersion(name: string, folder: string, version: number): Promise<void> {
  const source = join(FIXTURES, name);
  for (const path of listFiles(source)) {
    const text = (await Deno.readTextFile(join(source, path)))
      .replaceAll("__VERSION__", String(version));
    for (const round of path.includes("__ROUND__") ? ROUNDS : [0]) {
      const of = (each: string) => each.replaceAll("__ROUND__", String(round));
      await Deno.mkdir(dirname(join(folder, of(path))), { recursive: true });
      await Deno.writeTextFile(join(folder, of(path)), of(text));
    }
  }
}

interface Tab {
  readonly page: Page;
  readonly complaints: readonly string[];
  readonly responses: readonly Response[];
}

function follow(page: Page): Tab {
  page.setDefaultTimeout(60_000);
  const responses: Response[] = [];
  page.on("response", (response: Response) => responses.push(response));
  return { page, complaints: hearComplaints(page), responses };
}

async function open(tab: Tab, url: string, version: number): Promise<void> {
  await tab.page.goto(url, { waitUntil: "networkidle" });
  await tab.page.getByText(`home of version ${version}`).waitFor();
}

const failuresOf = ({ responses }: Tab): string[] =>
  responses.filter((each) => each.status() >= 400).map((each) => `${each.status()} ${each.url()}`);

/** Uses a tab as a person would: follows a link, presses each button, and submits the form. */
async function use(
  tab: Tab,
  { buttons = {}, reloading }: App,
  { round, version }: { readonly round: number; readonly version: number | string },
): Promise<void> {
  const { page, complaints } = tab;
  const shows = (kind: string) =>
    page.getByText(new RegExp(`^${kind} ${round} of version ${version}$`)).first().waitFor()
      .catch(async (cause) => {
        const shown = await page.locator("body").innerText();
        const facts = { kind, round, failures: failuresOf(tab), complaints, shown };
        throw new Error(JSON.stringify(facts), { cause });
      });
  await page.getByRole("link", { name: `Round ${round}`, exact: true }).click();
  for (const kind of ["page", "data"]) await shows(kind);
  for (const [name, kind] of Object.entries(buttons)) {
    await page.getByRole("button", { name }).click();
    await shows(kind);
  }
  await page.locator("input").fill(`form ${round}`);
  await page.getByRole("button", { name: "Send" }).click();
  await shows("form");
  const failures = [...failuresOf(tab), ...complaints.filter((each) => each !== reloading)];
  assert.deepEqual(failures, []);
}

/** Returns the deployment to which a script belongs; `undefined` for other responses. */
function scriptOrigin(response: Response): string | undefined {
  if (!new URL(response.url()).pathname.endsWith(".js")) return undefined;
  const headers = response.headers();
  return headers["x-svc-asset-from"] ?? headers["x-svc-deployment"];
}

/** Uses a tab from the first deployment, which also serves the tab's scripts. */
async function useOld(tab: Tab, app: App, { round, id }: { round: number; id: string }) {
  const from = tab.responses.length;
  if (app.notice !== undefined) await tab.page.getByText(app.notice).waitFor();
  await use(tab, app, { round, version: 1 });
  const origins = tab.responses.slice(from).map(scriptOrigin);
  assert.ok(origins.includes(id), `No new script in round ${round}: ${origins}`);
  assert.equal(await tab.page.evaluate("globalThis.isSameDocument"), true, `round ${round}`);
}

async function keepTabOpen(box: Sandbox, name: string, app: App): Promise<void> {
  const release = async (version: number) => {
    await writeVersion(name, box.site, version);
    const { id, urls } = await box.json(["deploy", "--prod"]);
    return { id: String(id), url: (urls as Record<string, string>).production! };
  };
  const { id, url } = await release(1);
  await withChromium(async (browser) => {
    const context = await browser.newContext();
    const tab = follow(await context.newPage());
    await open(tab, url, 1);
    await tab.page.evaluate("globalThis.isSameDocument = true");
    for (let version = 2; version <= DEPLOYMENTS; version++) {
      await release(version);
      await useOld(tab, app, { round: version, id });
    }
    await box.json(["rollback"]);
    await useOld(tab, app, { round: DEPLOYMENTS + 1, id });

    const other = follow(await context.newPage());
    await open(other, url, DEPLOYMENTS - 1);
    await use(other, app, { round: 2, version: DEPLOYMENTS - 1 });
    // The browser's cookie already names the newer page, so some requests from the old page reach
    // the newer deployment.
    await use(tab, app, { round: DEPLOYMENTS + 2, version: `[1${DEPLOYMENTS - 1}]` });
    await open(tab, url, DEPLOYMENTS - 1);
    await use(tab, app, { round: 2, version: DEPLOYMENTS - 1 });
  });
}

for (const [name, app] of Object.entries(APPS)) {
  Deno.test({
    name: `an open tab of ${name} keeps working through five deployments and a rollback`,
    ...BROWSER_TEST,
    ignore: BROWSER_TEST.ignore || !buildsProjects ||
      !(WANTED?.includes("all") === true || WANTED?.includes(name) === true),
    fn: () =>
      withSandbox(async (box) => {
        Object.assign(box.env, await nodeVariables(box.env.PATH ?? ""));
        await writeVersion(name, box.site, 1);
        const installed = await hear(["npm", "install", "--loglevel", "error"], {
          cwd: box.site,
          env: box.env,
        });
        assert.equal(installed.code, 0, installed.stderr);
        await box.start();
        await box.json(["init", "--create", "--name", `tabs-${name}`]);
        await keepTabOpen(box, name, app);
      }),
  });
}
