/**
 * Checks in Chromium that the dashboard is accessible in every theme and updates live. If
 * `UPDATE_SCREENSHOTS` is set, the test stores screenshots of the pages in `docs/screenshots`.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { accessFaults } from "../helpers/access_faults.ts";
import { brokenWords } from "../helpers/broken_words.ts";
import { BROWSER_TEST, hearComplaints, SHOTS, withChromium } from "../helpers/chromium.ts";
import { type DashboardPlatform, signInBrowser, withDashboard } from "../helpers/dashboard.ts";
import { furnishDashboard, SHOP, STUDIO } from "../helpers/furnished_dashboard.ts";
import { leadsTo, pageRoutes } from "../helpers/page_routes.ts";
import { MOST_BYTES, PageScales } from "../helpers/page_weight.ts";
import { ROOT } from "../../scripts/_source_files.ts";

const KEEPS_SHOTS = Deno.env.get("UPDATE_SCREENSHOTS") !== undefined;
/** Whether screenshots show whole pages, including the content below the first screen. */
const WHOLE = Deno.env.get("UPDATE_SCREENSHOTS") === "whole";
const PICTURES = WHOLE ? SHOTS : join(ROOT, "docs", "screenshots");
/** The themes that `LOOKS` selects. Screenshots require all themes. */
const WANTED = KEEPS_SHOTS ? "all" : Deno.env.get("LOOKS") ?? "wide-light,narrow-dark";
const ONLY_LOOKS = WANTED !== "all" && Deno.env.has("LOOKS");
const LOOKS = ([
  ["wide-light", 1280, 800, "light"],
  ["narrow-dark", 390, 844, "dark"],
  ["wide-dark", 1280, 800, "dark"],
  ["narrow-light", 390, 844, "light"],
  ["small-dark", 320, 640, "dark"],
  ["small-light", 320, 640, "light"],
] as const).filter(([name]) => WANTED === "all" || WANTED.split(",").includes(name));

/** Routes that are not separate pages, or that are linked only from an email or a chat. */
const NOT_LOOKED_AT: Readonly<Record<string, string>> = {
  "/": "redirects to the overview",
  "/workspaces/:slug/projects/:project/variables": "redirects to the environments page",
  "/session": "tells a script whose session the browser has",
  "/workspaces/:slug/projects/:project/deployments": "redirects to the project's page",
  "/workspaces/:slug/projects/:project/day": "is part of the overview",
  "/workspaces/:slug/projects/:project/picture": "is a picture on the overview",
  "/welcome/:token": "works only once; tested in accounts_test",
  "/sign-up/confirm/:token": "is sent by email; tested in accounts_test",
  "/reset-password/:token": "is sent by email; tested in accounts_test",
  "/account/email/confirm/:token": "is sent by email; tested in accounts_test",
  "/sign-in/messenger": "needs a bot",
  "/workspaces/:slug/projects/:project/logs/counts": "is part of the logs",
  "/workspaces/:slug/projects/:project/logs/lines.ndjson": "is a file",
  "/workspaces/:slug/projects/:project/databases/:database/tables/rows.csv": "is a file",
  "/workspaces/:slug/projects/:project/databases/:database/tables/rows.json": "is a file",
  "/workspaces/:slug/projects/:project/databases/:database/export.sql": "is a file",
  "/workspaces/:slug/projects/:project/databases/:database/schema.sql": "is a file",
  "/workspaces/:slug/projects/:project/blobs/download": "redirects to the object",
  "/deployments/:deployment/errors/:error": "redirects to the error's page",
  "/deployments/:deployment/forms/:form": "redirects to the forms page",
  "/workspaces/:slug/projects/:project/forms/export": "is a file",
  "/previews/sign-in": "redirects between a protected host and the sign-in page",
};

/** Pages that people see before they sign in. */
const BEFORE: readonly [string, string][] = [
  ["sign-in", "/sign-in"],
  ["sign-up", "/sign-up"],
  ["forgot-password", "/forgot-password"],
];

/** Returns the routes of pages that the test does not open. */
function forgotten(pages: readonly [string, string][]): string[] {
  return pageRoutes().filter(({ method, path }) =>
    method === "GET" && !/^\/(?:assets|\.well-known)\/|^\/docs\/schema|\.(?:txt|js)$/.test(path) &&
    NOT_LOOKED_AT[path] === undefined && !pages.some(([, seen]) => leadsTo(path, seen))
  ).map(({ path }) => path);
}

/** Measures every page's size, and opens every page without JavaScript. Returns the problems. */
async function weighAll(
  browser: Browser,
  parts: DashboardPlatform,
  pages: readonly [string, string][],
): Promise<string[]> {
  const url = `http://127.0.0.1:${parts.platform.port}`;
  const faults: string[] = [];
  const weights: [string, number][] = [];
  const signedIn = await PageScales.open(browser, (context) => signInBrowser(context, parts));
  const stranger = await PageScales.open(browser, (context) => context.newPage());
  for (const [scales, some] of [[signedIn, pages], [stranger, BEFORE]] as const) {
    for (const [name, path] of some) {
      const found = await scales.weigh(url + path);
      weights.push([name, found.bytes]);
      faults.push(...found.faults.map((fault) => `${name} ${fault}`));
    }
  }
  const [name, bytes] = weights.sort((one, other) => other[1] - one[1])[0]!;
  // docs/performance.md quotes this number.
  // deno-lint-ignore no-console
  console.log(`${weights.length} pages; the heaviest is ${name}: ${bytes} of ${MOST_BYTES} bytes`);
  return faults;
}

/** Checks every page in every theme. Returns the problems. */
async function look(page: Page, url: string, pages: readonly [string, string][]) {
  const faults: string[] = [];
  for (const [name, path] of pages) {
    await page.goto(url + path);
    if (name === "overview") await page.locator(".day .plot").nth(1).waitFor();
    for (const [look, width, height, colorScheme] of LOOKS) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      faults.push(...(await accessFaults(page)).map((fault) => `${name} in ${look}: ${fault}`));
      const overflow = await page.locator("html").evaluate((html) => {
        const { scrollWidth, clientWidth } = html as unknown as Record<string, number>;
        return scrollWidth! - clientWidth!;
      });
      // Some titles are truncated on purpose.
      const cut = await page.locator("h1, h2").evaluateAll((titles) =>
        (titles as unknown as { scrollWidth: number; clientWidth: number; innerText: string }[])
          .filter((title) =>
            title.scrollWidth > title.clientWidth &&
            (globalThis as unknown as { getComputedStyle(of: unknown): { overflowX: string } })
                .getComputedStyle(title).overflowX === "visible"
          )
          .map(({ innerText }) => innerText)
      );
      faults.push(...(await brokenWords(page)).map((word) => `${name} in ${look} breaks ${word}`));
      for (const title of cut) faults.push(`${name} in ${look}: "${title}" overflows`);
      if (overflow > 0) faults.push(`${name} in ${look} is ${overflow} pixels too wide`);
      if (!KEEPS_SHOTS || width === 320) continue;
      await page.screenshot({ path: join(PICTURES, `${name}-${look}.png`), fullPage: WHOLE });
    }
  }
  return faults;
}

/** Moves through the inbox with the keyboard, and archives the second notification. */
async function pressKeys(page: Page, url: string) {
  const items = page.locator("#inbox > li");
  await page.goto(`${url}/notifications`);
  await items.nth(2).waitFor();
  const title = await items.nth(1).locator(".what > span").first().innerText();
  const second = await items.nth(1).getAttribute("id");
  for (const key of ["j", "j", "j", "k"]) await page.keyboard.press(key);
  await page.locator("#inbox > li:nth-child(2):focus").waitFor();
  await page.keyboard.press("e");
  await page.locator(`[id="${second}"]`).waitFor({ state: "detached" });
  await page.goto(`${url}/notifications?show=archive`);
  assert.equal(await items.count(), 1);
  assert.equal(await items.locator(".what > span").first().innerText(), title);
}

/** Opens other pages from project and account pages, using only the keyboard. */
async function searchByKeys(page: Page, url: string) {
  const field = page.getByRole("combobox", { name: "Search or go to" });
  const chosen = page.locator("[role=option][aria-selected=true]");
  await page.goto(`${url}${SHOP}/edge`);
  await page.keyboard.press("/");
  await field.fill("vrbls");
  await chosen.getByText("Environments and variables of harbour-shop").waitFor();
  assert.deepEqual(await accessFaults(page), []);
  await page.keyboard.press("Escape");
  await field.waitFor({ state: "detached" });
  await page.keyboard.press("Control+k");
  await field.fill("lanterns");
  await chosen.getByText("Lanterns on the quay").waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/deployments\/[0-9a-f-]{36}$/);
  await page.getByRole("link", { name: "Search", exact: true }).first().click();
  await field.fill("promo");
  await chosen.getByText("Promote to production").waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByText("Replace production?").waitFor();
  await page.goto(`${url}/account`);
  await page.getByLabel("Current password").press("/");
  assert.equal(
    await page.getByLabel("Current password").inputValue(),
    "/",
    "a focused field gets the typed character",
  );
  await page.keyboard.press("Control+k");
  await field.fill("orders");
  await page.getByRole("group", { name: "Databases" }).getByRole("option").first().waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/projects\/shop\/databases\/orders$/);
}

/**
 * Opens a document by typing letters from its title, and a section by typing words that it
 * contains.
 */
async function searchDocuments(page: Page, url: string) {
  const field = page.getByRole("combobox", { name: "Search or go to" });
  await page.goto(`${url}/docs/rules`);
  await page.keyboard.press("/");
  await field.fill("cchng");
  await page.locator("[aria-selected=true]").getByText("Caching", { exact: true }).waitFor();
  assert.deepEqual(await accessFaults(page), []);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/docs\/caching$/);
  await page.locator(".toc a[aria-current]").waitFor();
  await page.getByLabel("Search the documentation").click();
  await field.fill("wildcard certificate");
  await page.getByRole("option").filter({ hasText: /certificate/ }).first().waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/docs\/(?!caching)/);
}

/** Runs SQL, cancels a slow query, and finds both in the browser's history. */
async function runSql(page: Page, url: string) {
  await page.goto(`${url}${STUDIO}/sql`);
  const [field, busy] = [page.getByLabel("SQL"), page.locator("[data-progress]")];
  await field.fill("SELECT 'two' AS n; SELECT name FROM boats");
  await field.press("Control+Enter");
  const rows = page.getByRole("region", { name: "Rows" });
  await rows.nth(1).filter({ hasText: "Kestrel" }).waitFor();
  for (const format of ["CSV", "JSON"]) {
    const file = page.waitForEvent("download");
    await page.locator("#result").getByRole("button", { name: format }).last().click();
    assert.equal((await file).suggestedFilename(), `orders.${format.toLowerCase()}`);
  }
  await field.fill("SELECT pg_sleep(600)");
  await page.getByRole("button", { name: "Run" }).click();
  await busy.filter({ hasText: "Running" }).waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await busy.filter({ hasText: "Cancelled" }).waitFor();
  await page.reload();
  await page.locator("[data-history] summary").click();
  assert.deepEqual(await page.locator(".history li").allInnerTexts(), [
    "SELECT pg_sleep(600)",
    "SELECT 'two' AS n; SELECT name FROM boats",
  ]);
}

/** Reads a chart with the keyboard. */
async function readChart(page: Page, url: string) {
  await page.goto(`${url}${SHOP}/traffic`);
  await page.locator(".chart canvas").waitFor();
  await page.getByRole("group", { name: /^The last 24 hours, by minute: \d+ requests/ }).focus();
  const legend = page.locator(".u-legend");
  await legend.filter({ hasText: /Time:?\s*\d+ \w+, \d\d:\d\d/ }).waitFor();
  const last = await legend.innerText();
  await page.keyboard.press("ArrowLeft");
  assert.notEqual(await legend.innerText(), last);
}

/** Searches a live log, explains a request, and opens a menu. Returns the page's errors. */
async function use(page: Page, url: string, { platform }: DashboardPlatform) {
  const complaints = hearComplaints(page);
  const lines = page.locator("#lines > li");
  await page.goto(`${url}${SHOP}/logs`);
  await page.getByLabel("Search").fill("missing");
  await page.waitForURL(/search=missing/);
  await lines.filter({ hasText: "/missing" }).waitFor();
  await lines.filter({ hasText: "/blog" }).waitFor({ state: "detached" });
  const followed = page.waitForResponse((answer) => answer.url().includes("/logs/stream"));
  await page.reload();
  await followed;
  await platform.get("harbour-shop.localhost", "/other");
  await platform.get("harbour-shop.localhost", "/missing/now");
  await lines.filter({ hasText: "/missing/now" }).waitFor();
  assert.equal(await lines.filter({ hasText: "/other" }).count(), 0);
  await page.getByRole("button", { name: "Pause" }).click();
  await platform.get("harbour-shop.localhost", "/missing/later");
  await lines.filter({ hasText: "/missing/now" }).getByRole("link").click();
  await page.getByRole("dialog").getByText("Explain the rules").waitFor();
  await page.keyboard.press("Escape");
  assert.equal(await lines.filter({ hasText: "/missing/later" }).count(), 0);
  await page.getByRole("button", { name: "Resume" }).click();
  await lines.filter({ hasText: "/missing/later" }).waitFor();
  await page.locator(".facets summary", { hasText: "Status" }).click();
  await page.locator(".facets a", { hasText: "404" }).click();
  await page.waitForURL(/status=404/);

  await page.goto(`${url}${SHOP}/edge`);
  await page.getByLabel("Path or URL").fill("/blog/tides");
  await page.getByRole("button", { name: "Explain" }).click();
  await page.locator("#explained", { hasText: "Redirects with 301 to /news/tides" }).waitFor();

  await readChart(page, url);
  await runSql(page, url);
  await pressKeys(page, url);
  await searchByKeys(page, url);
  await searchDocuments(page, url);
  await page.goto(`${url}${SHOP}/edge`);
  const others = page.getByRole("link", { name: "All workspaces" });
  await page.locator("details.switch > summary").click();
  await others.waitFor();
  await page.keyboard.press("Escape");
  await others.waitFor({ state: "hidden" });
  // Open streams are closed when their page is closed.
  return complaints.filter((text) => !/\/(?:logs|notifications)\/stream/.test(text));
}

Deno.test({
  name: "the dashboard is accessible, does not overflow, and updates under its own CSP",
  ...BROWSER_TEST,
  fn: () =>
    withDashboard(async (parts) => {
      const pages = await furnishDashboard(parts);
      const url = `http://127.0.0.1:${parts.platform.port}`;
      await withChromium(async (browser) => {
        if (!ONLY_LOOKS) {
          const plain = await signInBrowser(await browser.newContext(), parts);
          assert.deepEqual(await use(plain, url, parts), []);
          assert.deepEqual(await weighAll(browser, parts, pages), []);
        }
        // The test injects Axe, which the pages' policy would block.
        const page = await signInBrowser(await browser.newContext({ bypassCSP: true }), parts);
        assert.deepEqual(forgotten([...pages, ...BEFORE]), []);
        assert.deepEqual(await look(page, url, pages), []);
        const stranger = await (await browser.newContext({ bypassCSP: true })).newPage();
        assert.deepEqual(await look(stranger, url, BEFORE), []);
      });
    }),
});
