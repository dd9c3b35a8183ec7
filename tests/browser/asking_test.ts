/**
 * Tests the dashboard's forms in Chromium. A dialog must ask for confirmation before risky actions.
 * Typed text must survive a lost connection, the end of the session and a second click.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { accessFaults } from "../helpers/access_faults.ts";
import { BROWSER_TEST, hearComplaints, SHOTS, withChromium } from "../helpers/chromium.ts";
import { signInBrowser, withDashboard } from "../helpers/dashboard.ts";
import { PASSWORD } from "../helpers/page_visitor.ts";
import { deploy } from "../helpers/platform.ts";

const SHOP = "/workspaces/acme/projects/shop";

const shoot = (page: Page, name: string) =>
  page.screenshot({ path: join(SHOTS, `asking-${name}.png`) });

const focused = (page: Page) => page.locator(":focus").innerText();

Deno.test({
  name: "actions ask for confirmation in a dialog that works with only the keyboard",
  ...BROWSER_TEST,
  fn: () =>
    withDashboard(async ({ ada, api, own, platform }) => {
      await api("POST", "/v1/projects", { name: "shop" });
      await deploy(own, "shop", { files: { "index.html": "one" }, message: "Summer menu" });
      const preview = await deploy(own, "shop", {
        files: { "index.html": "two", "new.html": "new" },
        prod: false,
        message: "Lanterns",
      });
      await api("PUT", "/v1/projects/shop/variables/TIDE", {
        value: "1",
        category: "plain",
        scope: "all",
      });
      await withChromium(async (browser) => {
        const page = await signInBrowser(await browser.newContext(), { ada, platform });
        const complaints = hearComplaints(page);
        const url = `http://127.0.0.1:${platform.port}`;
        const dialog = page.getByRole("dialog");

        await page.goto(`${url}/deployments/${preview.id}`);
        const promote = page.getByRole("button", { name: "Promote to production" });
        await promote.first().focus();
        await page.keyboard.press("Enter");
        await dialog.waitFor();
        assert.equal(await dialog.getAttribute("aria-labelledby"), "question-title");
        const text = await dialog.innerText();
        assert.match(text, /Replace production\?[^]*From[^]*Summer menu[^]*To[^]*Lanterns/);
        assert.match(text, /2 files differ\./);
        assert.equal(
          await focused(page),
          "Cancel",
          "the focus starts on Cancel, so Enter changes nothing",
        );
        assert.deepEqual(await accessFaults(page), []);
        await shoot(page, "promote");
        await page.keyboard.press("Escape");
        await dialog.waitFor({ state: "detached" });
        assert.equal(
          await focused(page),
          "Promote to production",
          "the focus returns to the button",
        );

        await page.keyboard.press("Enter");
        await dialog.waitFor();
        await page.keyboard.press("Tab");
        await page.keyboard.press("Enter");
        await page.getByText("Promoted to production.").waitFor();
        await page.getByRole("button", { name: "Undo" }).click();
        assert.match(await dialog.innerText(), /From\s*Lanterns[^]*To\s*Summer menu/);
        await dialog.getByRole("button", { name: "Roll back to this deployment" }).click();
        await page.getByText("Rolled back to this deployment.").waitFor();

        await page.goto(`${url}${SHOP}/environments`);
        await page.getByRole("button", { name: /^Remove TIDE/ }).click();
        assert.match(await dialog.innerText(), /Remove TIDE from all environments\?/);
        await dialog.getByRole("link", { name: "Cancel" }).click();
        await dialog.waitFor({ state: "detached" });
        await page.getByRole("button", { name: /^Remove TIDE/ }).waitFor();

        await page.goto(`${url}${SHOP}/settings`);
        await page.getByRole("button", { name: "Delete shop" }).click();
        await dialog.waitFor();
        await shoot(page, "delete");
        assert.deepEqual(await accessFaults(page), []);
        await page.keyboard.type("sho");
        await page.keyboard.press("Enter");
        assert.ok(await dialog.isVisible(), "the dialog stays open until the name is complete");
        await page.keyboard.type("p");
        await page.keyboard.press("Enter");
        await page.getByText("Project deleted.").waitFor();
        assert.deepEqual(complaints, []);
      });
    }),
});

Deno.test({
  name: "a form keeps its text when the connection or session is lost, and is submitted only once",
  ...BROWSER_TEST,
  fn: () =>
    withDashboard(async ({ ada, api, platform }) => {
      await api("POST", "/v1/projects", { name: "shop" });
      await withChromium(async (browser) => {
        const context = await browser.newContext();
        const page = await signInBrowser(context, { ada, platform });
        const url = `http://127.0.0.1:${platform.port}`;
        await page.goto(`${url}${SHOP}/environments`);
        const field = page.getByLabel("Name", { exact: true });
        const button = page.getByRole("button", { name: "Set variable" });
        await field.fill("TIDE");
        await page.getByLabel("Value", { exact: true }).fill("high");

        await context.setOffline(true);
        await button.click();
        const alert = page.getByRole("alert");
        assert.match(await alert.innerText(), /Nothing was sent, and what you typed is still here/);
        assert.equal(await button.getAttribute("aria-busy"), null);
        await shoot(page, "offline");
        await context.setOffline(false);

        await context.clearCookies();
        await button.click();
        const dialog = page.getByRole("dialog");
        await dialog.waitFor();
        await shoot(page, "signed-out");
        assert.deepEqual(await accessFaults(page), []);
        await dialog.getByLabel("Email").fill("ada@example.com");
        await dialog.getByLabel("Password").fill("wrong password");
        await dialog.getByRole("button", { name: "Sign in" }).click();
        await dialog.getByRole("alert").waitFor();
        await dialog.getByLabel("Email").fill("ada@example.com");
        await dialog.getByLabel("Password").fill(PASSWORD);

        const sent: string[] = [];
        page.on("request", (request) => {
          if (request.method() === "POST") sent.push(new URL(request.url()).pathname);
        });
        assert.equal(await button.getAttribute("aria-busy"), "true");
        await dialog.getByRole("button", { name: "Sign in" }).click();
        await page.getByText("Variable set.").waitFor();
        assert.deepEqual(sent, ["/sign-in", `${SHOP}/environments/set`]);

        await page.goto(`${url}${SHOP}/environments`);
        sent.length = 0;
        await field.fill("TIDE");
        await button.dblclick();
        await page.getByText("Variable set.").waitFor();
        assert.deepEqual(sent, [`${SHOP}/environments/set`]);
        const { json } = await api("GET", "/v1/projects/shop/variables");
        assert.deepEqual(json.items.map(({ key }: { key: string }) => key), ["TIDE"]);
      });
    }),
});
