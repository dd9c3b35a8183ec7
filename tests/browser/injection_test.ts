/** Markup in every field that a user, a commit, a visitor or a site fills, in a real browser. */
import assert from "node:assert/strict";
import { BROWSER_TEST, withChromium } from "../helpers/chromium.ts";
import { type DashboardPlatform, signInBrowser, withDashboard } from "../helpers/dashboard.ts";
import { deploy, rawRequest, STATIC_MANIFEST } from "../helpers/platform.ts";

const MARKUP = `"'><script>alert(1)</script><img src=x onerror=alert(2)><svg onload=alert(3)>`;
/** What names may hold that are part of a path. */
const IN_PATH = `/<svg/onload=alert(4)>"'><img/src=x/onerror=alert(5)>`;
/** What a branch may be called. */
const BRANCH = `<svg/onload=alert(6)>"`;
const BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const SHOP = "/workspaces/acme/projects/shop";

/** Fills what can be filled; returns the pages that show it. */
async function fill({ api, own, platform }: DashboardPlatform): Promise<readonly string[]> {
  const at = "/v1/projects/shop";
  await api("POST", "/v1/projects", { name: "shop", displayName: MARKUP });
  const live = await deploy(own, "shop", {
    files: { "index.html": "one" },
    manifest: { ...STATIC_MANIFEST, vitals: true },
    message: MARKUP,
    author: MARKUP,
    rules: {
      schemaVersion: "EDGE_RULE_SET_V1",
      rules: [{
        id: "closed",
        name: MARKUP,
        condition: { path: { type: "prefix", value: "/admin" } },
        action: { type: "deny", statusCode: 403 },
      }],
    },
  });
  await api("PUT", `${at}/variables/MARKUP`, { value: MARKUP, category: "plain", scope: "all" });
  await api("PUT", `${at}/kv/value`, { key: MARKUP, encoding: "text", value: MARKUP });
  await api("POST", "/v1/deploy-hooks", {
    ...{ projectId: "shop", name: MARKUP, branch: BRANCH, scope: "All" },
  });
  const { json: key } = await api("POST", "/v1/api-keys", {
    ...{ name: MARKUP, role: "viewer", description: MARKUP },
  });
  await api("POST", "/v1/trusted-publishers", {
    ...{ provider: "github", repository: "acme/shop", branch: MARKUP, environment: MARKUP },
    ...{ workflow: MARKUP, permissions: ["read"] },
  });
  await api("POST", "/v1/webhooks", { url: "https://hooks.example/", description: MARKUP });
  await api("POST", "/v1/events", { event: "billing.card_expired", data: { detail: MARKUP } });
  const send = (method: string, path: string, body?: string) =>
    rawRequest(platform.port, {
      ...{ method, host: "shop.localhost", path },
      headers: { "user-agent": `${BROWSER} ${MARKUP}`, referer: `https://news.example/${MARKUP}` },
      ...(body === undefined ? {} : { body }),
    });
  for (const path of ["/", `/admin${IN_PATH}`, IN_PATH]) await send("GET", path);
  const counted = await send("POST", "/_svc/vitals", JSON.stringify({ p: IN_PATH, lcp: 9 }));
  assert.equal(counted.status, 204);
  return [
    ...["/projects", "", "/audit", "/usage", "/new-project"].map((page) =>
      `/workspaces/acme${page}`
    ),
    ...["keys", `keys/${key.id}`, "publishers"].map((page) => `/workspaces/acme/${page}`),
    `/workspaces/acme/search?q=${encodeURIComponent(MARKUP)}`,
    ...["", "/day", "/logs", "/traffic", "/domains", "/variables", "/hooks", "/databases", "/kv"]
      .map((page) => SHOP + page),
    ...["/errors", "/usage", "/settings"].map((page) => SHOP + page),
    `${SHOP}/logs?search=${encodeURIComponent(MARKUP)}`,
    `${SHOP}/kv?key=${encodeURIComponent(MARKUP)}`,
    `${SHOP}/edge?method=GET&url=${encodeURIComponent(`/admin${IN_PATH}`)}`,
    `/deployments/${live.id}`,
    `/deployments/${live.id}/compare`,
    ...["/notifications", "/notifications?show=archive", "/notifications/preferences"],
    ...["/account", "/account/sessions", "/account/activity", "/account/channels", "/workspaces"],
    `/device?code=${encodeURIComponent(MARKUP)}`,
    `/sign-in?next=${encodeURIComponent(MARKUP)}`,
  ];
}

Deno.test({
  name: "markup in what people, commits and visitors fill in runs on no page",
  ...BROWSER_TEST,
  fn: () =>
    withDashboard(async (parts) => {
      const paths = await fill(parts);
      const url = `http://127.0.0.1:${parts.platform.port}`;
      await withChromium(async (browser) => {
        // Without the policy, so that escaping alone has to hold.
        const page = await signInBrowser(await browser.newContext({ bypassCSP: true }), parts);
        const ran: string[] = [];
        let shown = 0;
        page.on("dialog", (dialog) => {
          ran.push(`${page.url()}: ${dialog.message()}`);
          return dialog.dismiss();
        });
        for (const path of paths) {
          await page.goto(url + path);
          const made = page.locator("img[src=x], svg[onload], [onerror], script:not([src])");
          const count = await made.count();
          if (count > 0) ran.push(`${path}: ${count} elements of the markup`);
          if ((await page.locator("body").innerText()).includes("onerror=alert")) shown++;
        }
        assert.deepEqual(ran, []);
        assert.ok(shown >= 10, `only ${shown} pages show what was filled in`);
      });
    }),
});
