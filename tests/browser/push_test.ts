/**
 * Tests web push in Chromium. The browser must show the messages that the service worker receives,
 * and the channel and messenger pages must not scroll horizontally.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { BOT_TOKEN, serveBotApi } from "../helpers/bot_api.ts";
import type { Browser } from "../helpers/browser.ts";
import { CHROMIUM, hearComplaints, SHOTS, withChromium } from "../helpers/chromium.ts";

import { claimOwner, prefer, raise } from "../helpers/notifications.ts";
import { type TestPlatform, withPlatform } from "../helpers/platform.ts";
import { servePush } from "../helpers/push_service.ts";
import { serveSmtp } from "../helpers/smtp_server.ts";
import { until } from "../../src/lib/_test_until.ts";

const LOOKS = [["wide", 1280, 860, "light"], ["narrow", 390, 844, "dark"]] as const;

async function shoot(page: Page, name: string): Promise<void> {
  for (const [look, width, height, colorScheme] of LOOKS) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    const overflow = await page.locator("html").evaluate((html) => {
      const { scrollWidth, clientWidth } = html as unknown as Record<string, number>;
      return scrollWidth! - clientWidth!;
    });
    assert.ok(overflow <= 0, `${name} in ${look} is ${overflow} pixels too wide`);
    await page.screenshot({ path: join(SHOTS, `${name}-${look}.png`), fullPage: true });
  }
}

async function withBrowser(
  platform: TestPlatform,
  test: (context: BrowserContext, origin: string) => Promise<void>,
  permissions: readonly string[] = ["notifications"],
): Promise<void> {
  await withChromium(async (browser) => {
    const origin = `http://localhost:${platform.port}`;
    const context = await browser.newContext({ permissions: [...permissions] });
    await test(context, origin);
  });
}

async function signIn(platform: TestPlatform, context: BrowserContext): Promise<Browser> {
  const owner = await claimOwner(platform);
  const { cookie } = owner;
  const [name = "", value = ""] = cookie.split("=");
  await context.addCookies([{ name, value, domain: "localhost", path: "/" }]);
  return owner;
}

Deno.test({
  name: "Chromium's service worker shows a push message with its title, text and URL",
  ignore: CHROMIUM === undefined,
  fn: () =>
    withPlatform((platform) =>
      withBrowser(platform, async (context, origin) => {
        await signIn(platform, context);
        const page = await context.newPage();
        const problems: string[] = [];
        page.on("pageerror", (error) => problems.push(error.message));
        page.on("console", (message) => {
          if (message.type() === "error") problems.push(message.text());
        });
        const session = await context.newCDPSession(page);
        let registrationId = "";
        session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
          registrationId = registrations.at(-1)?.registrationId ?? registrationId;
        });
        await session.send("ServiceWorker.enable");
        await page.goto(`${origin}/account/channels`);
        await page.getByText("Off in this browser.").waitFor();
        assert.equal(await page.getByRole("button", { name: "Turn on" }).isVisible(), true);
        await until(() => registrationId, (id) => id !== "");
        await page.evaluate("navigator.serviceWorker.ready.then(() => true)");
        const message = {
          origin,
          registrationId,
          data: JSON.stringify({
            id: "n1",
            title: "shop is live",
            body: "Version 7",
            url: `${origin}/projects/shop`,
            priority: "CRITICAL",
          }),
        };
        // A worker that has just become active can miss a message. Several messages with the same
        // tag cause only one notification.
        const shown = await until(
          async () => {
            await session.send("ServiceWorker.deliverPushMessage", message);
            await page.waitForTimeout(300);
            return await page.evaluate(`navigator.serviceWorker.ready
              .then((registration) => registration.getNotifications())
              .then((all) => all.map(({ title, body, tag, data, requireInteraction }) =>
                ({ title, body, tag, url: data.url, requireInteraction })))`) as object[];
          },
          ({ length }) => length === 1,
        );
        assert.deepEqual(shown, [{
          title: "shop is live",
          body: "Version 7",
          tag: "n1",
          url: `${origin}/projects/shop`,
          requireInteraction: true,
        }]);
        await shoot(page, "channels");
        assert.deepEqual(problems, []);
      })
    ),
});

/**
 * A stand-in for the browser vendor's push service, which is unreachable here. The `subscribe`
 * method of Chromium's own push manager returns a subscription to this test's push service. The
 * permission, the worker, the requests, the encryption and the notification are real.
 */
const standIn = (subscription: object) =>
  `{
    let current = null;
    const given = ${JSON.stringify(subscription)};
    PushManager.prototype.subscribe = async ({ userVisibleOnly, applicationServerKey }) => {
      if (await Notification.permission !== "granted") throw new DOMException("denied", "NotAllowedError");
      if (!userVisibleOnly || applicationServerKey.length !== 65) throw new Error("options of subscribe");
      return current = { toJSON: () => given, unsubscribe: async () => { current = null; return true; } };
    };
    PushManager.prototype.getSubscription = async () => current;
  }`;

Deno.test({
  name: "a person enables push in Chromium, gets a notification, and removes the browser",
  ignore: CHROMIUM === undefined,
  fn: async () => {
    let publicKey = "";
    await using service = servePush(() => publicKey);
    await withPlatform((platform) =>
      withBrowser(platform, async (context, origin) => {
        const key = await platform.api("GET", "/v1/notifications/vapid-key", { token: null });
        publicKey = key.json.publicKey;
        const owner = await signIn(platform, context);
        const page = await context.newPage();
        const complaints = hearComplaints(page);
        await page.addInitScript(standIn(service.subscribe("chromium")));
        const session = await context.newCDPSession(page);
        let registrationId = "";
        session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
          registrationId = registrations.at(-1)?.registrationId ?? registrationId;
        });
        await session.send("ServiceWorker.enable");
        await page.goto(`${origin}/account/channels`);
        const listed = page.locator("#subscriptions li");
        assert.equal(await listed.count(), 0);
        await page.evaluate("navigator.serviceWorker.ready.then(() => true)");
        await page.evaluate("globalThis.isSamePage = true");
        await page.getByRole("button", { name: "Turn on in this browser" }).click();
        await page.getByText("On: this browser gets notifications").waitFor();
        assert.match(await listed.innerText(), /Chrome[^]*by 127\.0\.0\.1:\d+, since/);
        assert.equal(await page.evaluate("isSamePage"), true, "the page does not reload");
        await shoot(page, "channels-on");

        await prefer(owner, { category: "Health", channels: { push: true } });
        await raise(platform, "health.check_failed", { reason: "no answer" });
        const isWanted = ({ payload }: { payload: Record<string, unknown> }) =>
          payload.event === "health.check_failed";
        const message = await until(
          () => service.messages.find(isWanted),
          (found) => found !== undefined,
        );
        // Delivers the decrypted message to the worker, as a vendor's service would.
        const { payload } = message!;
        await until(() => registrationId, (id) => id !== "");
        const shown = await until(
          async () => {
            await session.send("ServiceWorker.deliverPushMessage", {
              origin,
              registrationId,
              data: JSON.stringify(payload),
            });
            await page.waitForTimeout(300);
            return await page.evaluate(`navigator.serviceWorker.ready
              .then((registration) => registration.getNotifications())
              .then((all) => all.map(({ title, tag, data }) => ({ title, tag, url: data.url })))`) as object[];
          },
          ({ length }) => length === 1,
        );
        const { title, id, url } = payload;
        assert.deepEqual(shown, [{ title, tag: id, url }]);

        await page.getByRole("button", { name: "Turn off in this browser" }).click();
        await page.getByText("Off: this browser no longer gets").waitFor();
        await until(() => listed.count(), (count) => count === 0);
        await page.getByRole("button", { name: "Turn on in this browser" }).click();
        await page.getByText("On: this browser gets notifications").waitFor();
        await listed.getByRole("button", { name: "Remove" }).click();
        await page.getByText("Browser removed.").waitFor();
        await page.getByText("Off in this browser.").waitFor();
        assert.equal(await listed.count(), 0);
        const { json } = await owner.send("GET", "/v1/notifications/push-subscription");
        assert.deepEqual(json.items, []);
        assert.deepEqual(complaints, []);
        assert.deepEqual(service.refused, []);
      }), { allowPrivateUpstreams: true });
  },
});

Deno.test({
  name: "the channels page explains what to do in Chromium if notifications are not allowed",
  ignore: CHROMIUM === undefined,
  fn: () =>
    withPlatform((platform) =>
      withBrowser(platform, async (context, origin) => {
        await signIn(platform, context);
        const page = await context.newPage();
        await page.goto(`${origin}/account/channels`);
        await page.getByRole("button", { name: "Turn on in this browser" }).click();
        await page.getByText("blocks notifications from this site").waitFor();
        assert.equal(await page.locator("#subscriptions li").count(), 0);
      }, [])
    ),
});

Deno.test({
  name: "a person links a chat in Chromium, and the open page updates itself",
  ignore: CHROMIUM === undefined,
  fn: async () => {
    await using api = serveBotApi();
    await withPlatform((platform) =>
      withBrowser(platform, async (context, origin) => {
        await signIn(platform, context);
        const page = await context.newPage();
        const complaints = hearComplaints(page);
        await page.goto(`${origin}/account/channels`);
        await page.getByRole("button", { name: "Link a chat" }).click();
        const way = page.getByRole("link", { name: "Open Telegram" });
        const link = await way.getAttribute("href");
        await page.getByText("Waiting for you to press Start in the chat.").waitFor();
        await page.evaluate("globalThis.isSamePage = true");
        api.write(7, `/start ${new URL(link!).searchParams.get("start")}`);
        await page.getByText("Linked with Ada <L> (@ada7).").waitFor();
        assert.equal(await page.evaluate("isSamePage"), true, "the page does not reload");
        assert.equal(await way.isVisible(), false);
        await shoot(page, "channels-link-done");
        await page.getByRole("link", { name: "Done" }).click();
        await page.getByText("Ada <L> (@ada7)").waitFor();
        await page.getByRole("button", { name: "Unlink" }).click();
        await page.getByText("Chat unlinked.").waitFor();
        assert.equal(await page.getByText("Ada <L> (@ada7)").count(), 0);
        assert.deepEqual(complaints, []);
      }), { bot: { token: BOT_TOKEN, api: api.url } });
  },
});

Deno.test({
  name: "a person signs in with the messenger in Chromium without scripts, and turns off emails",
  ignore: CHROMIUM === undefined,
  fn: async () => {
    await using api = serveBotApi();
    await using smtp = await serveSmtp();
    await withPlatform((platform) =>
      withBrowser(platform, async (context, origin) => {
        const page = await context.newPage();
        await page.goto(`${origin}/sign-in`);
        await shoot(page, "sign-in-messenger");
        await page.getByRole("button", { name: "Continue with Telegram" }).click();
        const heading = await page.getByRole("heading", { level: 1 }).textContent();
        const number = /\d\d$/.exec(heading!)![0];
        await shoot(page, "messenger-wait");
        const link = await page.getByRole("link", { name: "Open Telegram" }).getAttribute("href");
        api.write(7, `/start ${new URL(link!).searchParams.get("start")}`);
        await api.until(7, 1);
        api.tap(7, number);
        await page.getByRole("heading", { name: "Create an account" }).waitFor();
        await shoot(page, "messenger-newcomer");
        await page.getByRole("button", { name: "Create account" }).click();
        await page.waitForURL(`${origin}/workspaces`);
        await page.goto(`${origin}/account/channels`);
        await page.getByText("Ada <L> (@ada7)").waitFor();
        await shoot(page, "channels-linked");
        await page.getByRole("button", { name: "Link a chat" }).click();
        await page.getByRole("link", { name: "Open Telegram" }).waitFor();
        await shoot(page, "channels-link");

        await claimOwner(platform);
        await raise(platform, "health.check_failed", { reason: "no answer" });
        await smtp.until(1);
        const header = smtp.mails[0]!.headers.get("list-unsubscribe")!;
        await page.goto(`${origin}${new URL(header.slice(1, -1)).pathname}`);
        await shoot(page, "unsubscribe");
        await page.getByRole("button", { name: "Turn off" }).click();
        await page.getByRole("heading", { name: "No more health emails" }).waitFor();
        const html = /<!doctype html>[^]*<\/html>/i.exec(smtp.mails[0]!.text)![0];
        await page.goto("about:blank");
        await page.setContent(html);
        await shoot(page, "mail");
      }), { bot: { token: BOT_TOKEN, api: api.url }, mail: { smtpUrl: smtp.url } });
  },
});
