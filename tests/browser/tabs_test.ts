/**
 * Opens the dashboard in several tabs of one Chromium window, over HTTP/1.1. A browser opens six
 * connections to a site for all of its tabs, and each live page would need one.
 */
import assert from "node:assert/strict";
import type { Browser, CDPSession, Page } from "playwright-core";
import { until } from "../../src/lib/_test_until.ts";
import { BROWSER_TEST, hearComplaints, withChromium } from "../helpers/chromium.ts";
import { signInBrowser, withDashboard } from "../helpers/dashboard.ts";
import { Session } from "../helpers/devtools.ts";
import { deploy } from "../helpers/platform.ts";
import { median } from "../../scripts/bench/_table.ts";

/** Two more than the number of connections that a browser opens to a site. */
const TABS = 8;
/** Maximum time to wait for a page, in milliseconds. */
const PATIENCE_MS = 15_000;

/** Tabs that Playwright does not control, because it keeps its own pages visible. */
class Tabs {
  readonly #sessions = new Map<string, Session>();

  readonly #browser: CDPSession;

  private constructor(browser: CDPSession) {
    this.#browser = browser;
    browser.on("Target.receivedMessageFromTarget", ({ sessionId, message }) => {
      this.#sessions.get(sessionId)?.take(message);
    });
  }

  static async of(browser: Browser): Promise<Tabs> {
    return new Tabs(await browser.newBrowserCDPSession());
  }

  /** Opens a tab in front of the other tabs. */
  async open(): Promise<Session> {
    const { targetId } = await this.#browser.send("Target.createTarget", { url: "about:blank" });
    const attach = { targetId, flatten: false };
    const { sessionId } = await this.#browser.send("Target.attachToTarget", attach);
    const session = new Session((message) =>
      void this.#browser.send("Target.sendMessageToTarget", { sessionId, message })
    );
    this.#sessions.set(sessionId, session);
    return session;
  }
}

async function evaluate(tab: Session, expression: string): Promise<unknown> {
  const { result } = await tab.call("Runtime.evaluate", { expression });
  return (result as { readonly value?: unknown }).value;
}

const untilIs = (tab: Session, expression: string, wanted: unknown) =>
  until(() => evaluate(tab, expression), (value) => value === wanted, PATIENCE_MS);

Deno.test({
  name: "every dashboard tab opens over HTTP/1.1, and is live when it becomes visible again",
  ...BROWSER_TEST,
  fn: () =>
    withDashboard(async ({ ada, api, own, platform }) => {
      await api("POST", "/v1/projects", { name: "shop" });
      const url = `http://127.0.0.1:${platform.port}`;
      const pages = ["/notifications", "/workspaces/acme/projects/shop/logs"];
      await withChromium(async (browser) => {
        const tabs = await Tabs.of(browser);
        const opened: Session[] = [];
        const [name = "", value = ""] = ada.cookie.split("=");
        for (let n = 0; n < TABS; n++) {
          const tab = await tabs.open();
          if (n === 0) await tab.call("Network.setCookie", { name, value, url });
          void tab.call("Page.navigate", { url: url + pages[n % pages.length] });
          await untilIs(tab, "document.readyState", "complete");
          await untilIs(tab, "location.pathname", pages[n % pages.length]);
          opened.push(tab);
        }
        const states = await Promise.all(
          opened.map((tab) => evaluate(tab, "document.visibilityState")),
        );
        assert.deepEqual(states, [...Array(TABS - 1).fill("hidden"), "visible"]);
        const first = opened[0]!;
        const before = await evaluate(first, "document.title");
        await first.call("Page.bringToFront");
        await untilIs(first, "document.visibilityState", "visible");
        await deploy(own, "shop", { files: { "index.html": "one" } });
        await until(
          () => evaluate(first, "document.title"),
          (title) => title !== before && /^\(\d+\) Notifications/.test(String(title)),
          PATIENCE_MS,
        );
      });
    }),
});

/**
 * Pages that are open at the same time. Most of them show a log, and there are more log streams
 * than connections.
 */
const SIDE_BY_SIDE = ["projects", "projects/shop", "projects/shop/builds", "../../notifications"]
  .concat(Array(6).fill("projects/shop/logs"));
Deno.test({
  name: "ten visible tabs load over HTTP/1.1, share one stream, and show live changes",
  ...BROWSER_TEST,
  fn: () =>
    withDashboard(async (parts) => {
      const { api, own, platform } = parts;
      await api("POST", "/v1/projects", { name: "shop" });
      const url = `http://127.0.0.1:${platform.port}/workspaces/acme/`;
      await withChromium(async (browser) => {
        const first = await signInBrowser(await browser.newContext(), parts);
        const complaints = hearComplaints(first);
        const opened = await Promise.all(
          SIDE_BY_SIDE.slice(1).map(() => first.context().newPage()),
        );
        const pages = [first, ...opened];
        const load = async (page: Page, path: string) => {
          const start = performance.now();
          // A tab that had to wait for a connection would never load, because the other tabs keep
          // their connections.
          await page.goto(new URL(path, url).href, { waitUntil: "load" });
          return Math.round(performance.now() - start);
        };
        const alone: number[] = [];
        for (const path of SIDE_BY_SIDE) alone.push(await load(first, path));
        const times: number[] = [];
        for (const [n, page] of pages.entries()) times.push(await load(page, SIDE_BY_SIDE[n]!));
        // docs/performance.md quotes this number.
        // deno-lint-ignore no-console
        console.log(`the slowest of ${times.length} tabs loaded in ${Math.max(...times)} ms`);
        // A busy machine is slow even with one tab.
        const limit = Math.max(1000, 4 * median(alone));
        assert.ok(median(times) <= limit, `alone ${alone}, side by side ${times} ms`);
        const [overview, deployments, builds, inbox, ...logs] = pages;
        await deploy(own, "shop", { files: { "index.html": "one" }, message: "Seen at once" });
        await deployments!.locator("#deployment-rows, .empty").first().waitFor();
        await overview!.locator(".tile .state.good").waitFor();
        for (const page of [overview!, builds!]) {
          await page.locator("[data-unread]", { hasText: /^[1-9]/ }).waitFor();
        }
        await inbox!.locator("#fresh:not([hidden])").waitFor();
        await platform.get("shop.localhost", "/lantern");
        for (const page of logs) await page.locator("#log li", { hasText: "/lantern" }).waitFor();
        assert.deepEqual(complaints, []);
      });
    }),
});
