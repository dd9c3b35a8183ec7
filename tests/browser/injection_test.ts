/**
 * Tries to inject markup into pages in a real browser. The markup is in every field in the contract
 * that accepts markup, and in data from commits, builds, visitors, databases and sites.
 */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { makeTestFolder } from "../../src/lib/_test_folder.ts";
import { makeRepository } from "../../src/lib/_test_git.ts";
import { BROWSER_TEST, withChromium } from "../helpers/chromium.ts";
import { signInBrowser, withDashboard } from "../helpers/dashboard.ts";
import { openFields } from "../helpers/hostile_fields.ts";
import { fillWorkspace, isElsewhere } from "../helpers/hostile_workspace.ts";

/** Elements that are created only by unescaped markup. */
const MADE = 'img[src="x"], svg[onload], [onerror], script:not([src]), a[href^="javascript:"]';

/**
 * Fields in which the platform rejects markup although the schema allows it. Most of these fields
 * must name something that exists. Credentials need a matching git URL, but `setGitCredentials`
 * accepts markup in the same fields.
 */
const REFUSED = [
  "createProject gitUrl",
  "createProject credentials.username",
  "createProject credentials.token",
  "createProject credentials.apiUrl",
  "createProject credentials.knownHosts",
  "updateProject gitUrl",
  "createDeployment environment",
  "createDeployment removed[]",
  "setVariable scope",
  "setKvValue environment",
  "addDomain hostname",
  "addDomain environment",
  "createHook branch",
  "startBuild branch",
  "runCronTask path",
  "purgeCache environment",
  "purgeCache path",
  "purgeCache prefix",
];

/**
 * Checks a rendered page and adds the problems to `ran`. Returns whether the page shows the markup
 * as text.
 */
async function inspect(page: Page, name: string, ran: string[]): Promise<boolean> {
  const count = await page.locator(MADE).count();
  if (count > 0) ran.push(`${name}: ${count} elements from the markup`);
  return (await page.locator("body").innerText()).includes("=alert(");
}

Deno.test("openFields() finds exactly the fields that accept markup", () => {
  const fields = openFields();
  const placesOf = (operation: string) => [...fields.get(operation)?.keys() ?? []];
  assert.deepEqual(placesOf("createEnvironment"), []);
  assert.deepEqual(placesOf("createWorkspace"), ["name"]);
  assert.ok(placesOf("createDeployment").includes("files[].path"));
  assert.ok(placesOf("createDeployment").includes("message"));
  assert.ok(placesOf("triggerEvent").includes("data.detail"));
});

Deno.test({
  name: "markup in any field of the contract, or in data from others, never runs on a page",
  ...BROWSER_TEST,
  async fn() {
    const folder = await makeTestFolder("svc-injection-");
    try {
      const repository = await makeRepository(folder);
      await withDashboard(async (parts) => {
        const { sender, paths, sql } = await fillWorkspace(parts, repository);
        assert.deepEqual(sender.forgotten(isElsewhere), []);
        assert.deepEqual(sender.neverTaken, REFUSED);
        assert.ok(sender.taken.size >= 60, `only ${sender.taken.size} fields accepted markup`);
        const url = `http://127.0.0.1:${parts.platform.port}`;
        await withChromium(async (browser) => {
          // Bypasses the content security policy, so only escaping protects the page.
          const page = await signInBrowser(await browser.newContext({ bypassCSP: true }), parts);
          const ran: string[] = [];
          page.on("dialog", (dialog) => {
            ran.push(`${page.url()}: ${dialog.message()}`);
            return dialog.dismiss();
          });
          const silent: string[] = [];
          for (const path of paths) {
            await page.goto(url + path);
            if (!await inspect(page, path, ran)) silent.push(path);
          }
          await page.goto(`${url}/workspaces/acme/projects/shop/databases/orders/sql`);
          await page.getByLabel("SQL").fill(sql);
          await page.getByLabel("Allow writes").check();
          await page.getByRole("button", { name: "Run" }).click();
          await page.getByRole("region", { name: "Rows" }).first().waitFor();
          assert.ok(await inspect(page, "the query box", ran), "the page shows no row");
          await page.goto(`${url}/workspaces/acme/projects/shop/databases/orders/tables`);
          assert.ok(await inspect(page, "the tables", ran), "the page shows no table");
          assert.deepEqual(ran, []);
          const shown = paths.length - silent.length;
          assert.ok(
            shown >= paths.length - 3,
            `${shown} pages show markup; these do not: ${silent.join(" ")}`,
          );
        });
      }, { gitRoots: [folder] });
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});
