/**
 * Opens protected hosts in Chromium over HTTPS: a preview, its branch and production. A visitor has
 * no access at first, and then uses each kind of access until that access ends. The test uses
 * HTTP/2 and, with `PREVIEW_TESTS=all`, also HTTP/1.1.
 */
import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import { makeCertificate } from "../../src/lib/_test_certificate.ts";
import { inTestFolder } from "../../src/lib/_test_folder.ts";
import { BROWSER_TEST, withChromium } from "../helpers/chromium.ts";
import { type DashboardPlatform, withDashboard } from "../helpers/dashboard.ts";
import { PASSWORD } from "../helpers/page_visitor.ts";
import { deploy } from "../helpers/platform.ts";

const DOMAIN = "apps.example.net";
const SITE_PASSWORD = "open sesame";
const FILES = { "index.html": "<!doctype html><title>Map</title><h1>Not public yet</h1>" };

/** Chromium's name for each protocol, and the flags that select the protocol. */
const PROTOCOLS: Readonly<Record<string, readonly string[]>> = {
  "h2": [],
  ...(Deno.env.get("PREVIEW_TESTS") === "all" ? { "http/1.1": ["--disable-http2"] } : {}),
};

const isOpen = async (page: Page): Promise<boolean> => await page.title() === "Map";

async function freshPage(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  context.setDefaultTimeout(60_000);
  return await context.newPage();
}

/** Checks that the visitor can open and reload a page, and that its URL contains no secret. */
async function staysOpen(page: Page, url: string, protocol: string): Promise<void> {
  await page.getByRole("heading", { name: "Not public yet" }).waitFor();
  assert.equal(page.url(), `${url}/`, "a secret stayed in the URL");
  await page.reload();
  assert.ok(await isOpen(page), url);
  const used = "performance.getEntriesByType('navigation')[0].nextHopProtocol";
  assert.equal(await page.evaluate(used), protocol, url);
}

async function signIn(page: Page): Promise<void> {
  await page.getByLabel("Email").fill("ada@example.com");
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: /sign in/i }).click();
}

async function visitHosts(
  browser: Browser,
  protocol: string,
  { own, api }: DashboardPlatform,
): Promise<void> {
  const project = `shop-${protocol.replace(/\W/g, "-")}`;
  await api("POST", "/v1/projects", { name: project });
  const { urls: { production } } = await deploy(own, project, { files: FILES });
  const preview = await deploy(own, project, { files: FILES, prod: false, branch: "map" });
  const { unique, branch } = preview.urls;
  const previews = `/v1/projects/${project}/previews`;
  const setPassword = (password: string) => api("PATCH", previews, { protection: "all", password });
  await setPassword(SITE_PASSWORD);
  const bypass = (await api("POST", `${previews}/bypass-key`, {})).json.key;
  const share = async (scope: string) =>
    (await api("POST", `/v1/deployments/${preview.id}/shares`, { scope })).json;
  const links = new Map([
    [unique, await share("deployment")],
    [branch, await share("branch")],
  ]);

  const member = await freshPage(browser);
  for (const url of [unique, branch, production]) {
    const visitor = await freshPage(browser);
    const isClosed = async (why: string) => {
      await visitor.goto(url);
      assert.match(await visitor.content(), /This site needs a password/, `${url} ${why}`);
    };
    await isClosed("before");

    await member.goto(url);
    await member.getByRole("link", { name: "Sign in as a member" }).click();
    if (url === unique) await signIn(member);
    await staysOpen(member, url, protocol);
    const cookies = await member.context().cookies(url);
    assert.deepEqual(cookies.map(({ name }) => name), ["__Host-svc_access"]);
    await isClosed("after a member");

    const friend = await freshPage(browser);
    await friend.goto(url);
    await friend.getByLabel("Password").fill(SITE_PASSWORD);
    await friend.getByRole("button", { name: "Continue" }).click();
    await staysOpen(friend, url, protocol);
    await setPassword("another one");
    await friend.reload();
    assert.equal(await isOpen(friend), false, `${url} after the password has changed`);
    await setPassword(SITE_PASSWORD);

    const agent = await freshPage(browser);
    await agent.goto(`${url}/?x-svc-bypass=${bypass}`);
    await staysOpen(agent, url, protocol);

    const link = links.get(url);
    if (link !== undefined) {
      const guest = await freshPage(browser);
      await guest.goto(link.url);
      await staysOpen(guest, url, protocol);
      await api("DELETE", `${previews}/shares/${link.id}`, undefined, 204);
      await guest.reload();
      assert.equal(await isOpen(guest), false, `${url} after the link was revoked`);
      await guest.goto(link.url);
      assert.match(await guest.content(), /This link no longer works/);
    }
    await isClosed("after all");
  }
}

Deno.test({
  name: "each kind of access opens a protected host and can be revoked",
  ...BROWSER_TEST,
  fn: () =>
    inTestFolder(async (folder) => {
      const tls = await makeCertificate(folder, "own", [`DNS:${DOMAIN}`, `DNS:*.${DOMAIN}`]);
      await withDashboard(async (dashboard) => {
        for (const [protocol, flags] of Object.entries(PROTOCOLS)) {
          const resolve = `--host-resolver-rules=MAP ${DOMAIN} 127.0.0.1,MAP *.${DOMAIN} 127.0.0.1`;
          await withChromium((browser) => visitHosts(browser, protocol, dashboard), [
            resolve,
            ...flags,
          ]);
        }
      }, { baseDomain: DOMAIN, httpsPort: 0, tls });
    }),
});
