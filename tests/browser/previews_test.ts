/**
 * Opens a protected preview in Chromium in several ways: as a visitor without an account, as a
 * member who signs in with the platform's form, with a share link, and with a password. After that,
 * ends each kind of access.
 */
import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import { BROWSER_TEST, withChromium } from "../helpers/chromium.ts";
import { signInBrowser, withDashboard } from "../helpers/dashboard.ts";
import { PASSWORD } from "../helpers/page_visitor.ts";
import { deploy } from "../helpers/platform.ts";

async function freshPage(browser: Browser): Promise<Page> {
  const context = await browser.newContext();
  context.setDefaultTimeout(60_000);
  return await context.newPage();
}

Deno.test({
  name: "a protected preview opens with a sign-in, share link or password until access is revoked",
  ...BROWSER_TEST,
  fn: () =>
    withDashboard(async ({ platform, own, ada, api }) => {
      await api("POST", "/v1/projects", { name: "shop" });
      const preview = await deploy(own, "shop", {
        files: { "index.html": "<!doctype html><title>Map</title><h1>Not public yet</h1>" },
        prod: false,
        branch: "map",
      });
      const { unique } = preview.urls;
      const access = (json: unknown) => api("PATCH", "/v1/projects/shop/previews", json);
      await access({ protection: "members" });
      const isOpen = async (page: Page) => await page.title() === "Map";
      await withChromium(async (browser) => {
        // A member signs in with the form and is returned to the requested page.
        const member = await freshPage(browser);
        await member.goto(`${unique}/?from=mail`);
        assert.match(member.url(), /\/sign-in\?next=/);
        await member.getByLabel("Email").fill("ada@example.com");
        await member.getByLabel("Password").fill(PASSWORD);
        await member.getByRole("button", { name: /sign in/i }).click();
        await member.waitForURL(`${unique}/?from=mail`);
        assert.ok(await isOpen(member));
        const names = (await member.context().cookies(unique)).map(({ name }) => name);
        assert.deepEqual(names, ["svc_access"], "a session left the platform's own host");
        await member.reload();
        assert.ok(await isOpen(member));

        // The owner creates a share link in the dashboard.
        const dashboard = await signInBrowser(await browser.newContext(), { ada, platform });
        await dashboard.goto(`http://127.0.0.1:${platform.port}/deployments/${preview.id}`);
        await dashboard.getByRole("button", { name: "Share" }).click();
        const link = await dashboard.locator("#share-url").textContent();
        await dashboard.context().grantPermissions(["clipboard-read", "clipboard-write"]);
        await dashboard.getByRole("button", { name: "Copy link" }).click();
        await dashboard.getByRole("button", { name: "Copied" }).waitFor();
        assert.equal(await dashboard.evaluate("navigator.clipboard.readText()"), link);
        const guest = await freshPage(browser);
        await guest.goto(link!);
        assert.ok(await isOpen(guest));
        assert.equal(guest.url(), `${unique}/`, "the token stayed in the URL");
        const { json: { items: [share] } } = await api("GET", "/v1/projects/shop/previews/shares");
        await api("DELETE", `/v1/projects/shop/previews/shares/${share.id}`, undefined, 204);
        await guest.goto(link!);
        assert.match(await guest.content(), /This link no longer works/);

        // A visitor enters a password in the form.
        await access({ protection: "password", password: "open sesame" });
        const friend = await freshPage(browser);
        await friend.goto(unique);
        await friend.getByLabel("Password").fill("wrong words");
        await friend.getByRole("button", { name: "Continue" }).click();
        await friend.getByText("Wrong password").waitFor();
        await friend.getByLabel("Password").fill("open sesame");
        await friend.getByRole("button", { name: "Continue" }).click();
        await friend.waitForURL(`${unique}/`);
        assert.ok(await isOpen(friend));
        await access({ password: "another one" });
        await friend.reload();
        assert.equal(await isOpen(friend), false);

        // When the member's session on the platform ends, access to the preview also ends.
        await member.reload();
        assert.ok(await isOpen(member));
        const { json } = await platform.api("GET", "/v1/account/sessions", {
          token: null,
          headers: { cookie: ada.cookie },
        });
        const others = json.items.filter(({ current }: { current: boolean }) => !current);
        assert.ok(others.length > 0);
        for (const { id } of others) {
          await platform.api("DELETE", `/v1/account/sessions/${id}`, {
            token: null,
            headers: { cookie: ada.cookie, "sec-fetch-site": "same-origin" },
          });
        }
        await member.reload();
        assert.equal(await isOpen(member), false);
      });
    }),
});
