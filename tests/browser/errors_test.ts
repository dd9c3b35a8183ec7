/** Opens the error pages in Chromium, with errors whose text tries to inject markup. */
import assert from "node:assert/strict";
import { accessFaults } from "../helpers/access_faults.ts";
import { BROWSER_TEST, hearComplaints, withChromium } from "../helpers/chromium.ts";
import { signInBrowser, withDashboard } from "../helpers/dashboard.ts";
import { failSites, MARKUP } from "../helpers/failing_sites.ts";

Deno.test({
  name: "errors in a function and a server can be listed, opened and searched, and appear as text",
  ...BROWSER_TEST,
  fn: () =>
    withDashboard(async (parts) => {
      const sites = await failSites(parts);
      const url = `http://127.0.0.1:${parts.platform.port}`;
      await withChromium(async (browser) => {
        const page = await signInBrowser(await browser.newContext(), parts);
        const complaints = hearComplaints(page);
        for (const [name, { deployment }] of Object.entries(sites)) {
          const at = `${url}/workspaces/acme/projects/${name}`;
          await page.goto(`${at}/errors`);
          const row = page.locator("#errors li");
          assert.equal(await row.count(), 1);
          assert.match(await row.innerText(), name === "shop" ? /Function tides/ : /Server app/);
          await row.getByRole("link").click();
          const title = await page.locator("#error h2").innerText();
          assert.ok(title.includes(MARKUP), title);
          const stack = await page.getByLabel("Stack").innerText();
          assert.match(stack, name === "shop" ? /functions\/tides\.ts:5:\d+/ : /<script>taken/);
          const brought = page.getByRole("link", { name: "this deployment" });
          assert.equal(await brought.getAttribute("href"), `/deployments/${deployment}`);
          const lines = page.locator("#lines li");
          assert.ok((await lines.allInnerTexts()).some((text) => / 500 |\b50\d\b/.test(text)));
          if (name === "shop") {
            await lines.filter({ hasText: `asked for ${MARKUP}` }).first().waitFor();
          }
          assert.equal(await page.title(), `${name}: errors · svc`);
          assert.equal(await page.locator("main img").count(), 0);
          await page.getByRole("link", { name: "request log" }).first().click();
          await page.locator("#lines > li").first().waitFor();
        }
        assert.deepEqual(
          complaints.filter((text) => !text.includes("/logs/stream")),
          [],
        );

        const judged = await signInBrowser(await browser.newContext({ bypassCSP: true }), parts);
        for (const colorScheme of ["light", "dark"] as const) {
          await judged.emulateMedia({ colorScheme, reducedMotion: "reduce" });
          for (const [name, { error }] of Object.entries(sites)) {
            for (const path of ["errors", `errors/${error}`]) {
              await judged.goto(`${url}/workspaces/acme/projects/${name}/${path}`);
              assert.deepEqual(await accessFaults(judged), [], `${name}/${path}, ${colorScheme}`);
            }
          }
        }
      });
    }),
});
