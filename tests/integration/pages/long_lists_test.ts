/**
 * Fills lists with more records than fit on a page. No page may show all of them, and each page
 * must link to the next one.
 */
import assert from "node:assert/strict";
import { Browser } from "../../helpers/browser.ts";
import { withDashboard } from "../../helpers/dashboard.ts";
import { approve, poll } from "../../helpers/device_flow.ts";
import { PASSWORD, type Visitor } from "../../helpers/page_visitor.ts";
import { create } from "../../helpers/platform.ts";

const MANY = 110;
/** Maximum number of a list's rows on one page. */
const MOST_ROWS = 100;
const SHOP = "/workspaces/acme/projects/shop";

/** Lists by page, with patterns for their rows and for the link to the next rows. */
type List = readonly [page: string, row: RegExp, many?: number, name?: string];
const LISTS: readonly List[] = [
  ["/workspaces/acme/projects", /<li class="tile"/g],
  ["/workspaces/acme", /Open invitation/g],
  ["/workspaces/acme/keys", /href="\/workspaces\/acme\/keys\/[0-9a-f-]{36}"/g],
  ["/workspaces/acme/audit", /<span class="soft mono">\/<wbr\/>v1\/<wbr\/>/g],
  [SHOP, /<a class="whole" href="\/deployments\//g],
  [`${SHOP}/environments`, />KEY_\d+</g],
  [`${SHOP}/kv`, /<a class="whole mono"/g],
  [`${SHOP}/hooks`, />hook \d+</g, 60],
  [`${SHOP}/domains`, />(?:www\.)?h\d+\.example</g],
  ["/notifications", /class="what"/g],
];

/**
 * A person's own lists. Two of them are on the same page, and each has its own parameter in the
 * URL.
 */
const OWN = 30;
const OWN_LISTS: readonly List[] = [
  ["/account/sessions", /action="\/account\/sessions\/end"/g, OWN, "sessions"],
  ["/account/sessions", /action="\/account\/tools\/revoke"/g, OWN, "tools"],
  ["/account/activity", /<div class="what"/g, OWN, "cursor"],
  ["/workspaces", /<a class="what"/g, OWN, "cursor"],
];

/** Returns the URL of the next rows. */
function nextOf(html: string, name = "cursor|offset|invitations"): string | undefined {
  const [, href] =
    new RegExp(`<a [^>]*href="([^"]*(?:${name})=[^"]+)"[^>]*>(?:Next|Older|More)`).exec(html) ?? [];
  return href?.replaceAll("&amp;", "&");
}

/** Follows the links in each list to the end of the list. Returns any problems. */
async function followAll(visitor: Visitor, lists: readonly List[]): Promise<string[]> {
  const wrong: string[] = [];
  for (const [page, row, many = MANY, name] of lists) {
    let [total, pages] = [0, 0];
    for (let path: string | undefined = page; path !== undefined && pages < 20; pages++) {
      const { status, html } = await visitor.open(path);
      assert.equal(status, 200, path);
      const rows = html.match(row)?.length ?? 0;
      if (rows > MOST_ROWS) wrong.push(`${path} has ${rows} rows`);
      total += rows;
      path = nextOf(html, name);
    }
    if (total < many || pages < 2) {
      wrong.push(`${page} shows ${total} rows on ${pages} pages of ${name ?? "its list"}`);
    }
  }
  return wrong;
}

Deno.test("long lists are split into pages that together show everything", () =>
  withDashboard(async ({ ada, api, own }) => {
    await api("POST", "/v1/projects", { name: "shop" });
    const at = "/v1/projects/shop";
    for (let n = 0; n < MANY; n++) {
      await api("POST", "/v1/projects", { name: `p${n}` });
      await create(own, "shop", { files: {}, prod: false });
      await api("POST", "/v1/api-keys", { name: `key ${n}`, role: "viewer" });
      await api("POST", "/v1/invitations", { role: "viewer" });
      await api("PUT", `${at}/variables/KEY_${n}`, { value: "x", category: "plain", scope: "all" });
      await api("PUT", `${at}/kv/value`, { key: `k${n}`, encoding: "text", value: "x" });
      await api("POST", "/v1/events", { event: "billing.card_expired" });
      if (n >= 60) continue;
      await api("POST", "/v1/deploy-hooks", {
        projectId: "shop",
        name: `hook ${n}`,
        branch: "main",
        scope: "All",
      });
      await api("POST", `${at}/domains`, { hostname: `h${n}.example`, environment: "production" });
    }
    assert.deepEqual(await followAll(ada, LISTS), []);
  }));

Deno.test("the lists of sessions, tools, activity and workspaces link to their next pages", () =>
  withDashboard(async ({ ada, platform }) => {
    const browser = new Browser(platform);
    browser.cookie = ada.cookie;
    const send = async (method: string, path: string, json: unknown) => {
      const answer = await browser.send(method, path, { json, workspace: "acme" });
      assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.json)}`);
      return answer.json;
    };
    const { json: { items: [acme] } } = await browser.send("GET", "/v1/workspaces");
    for (let n = 0; n < OWN; n++) {
      const other = new Browser(platform);
      const json = { email: "ada@example.com", password: PASSWORD };
      const signedIn = await other.send("POST", "/v1/sign-in", { json });
      assert.equal(signedIn.status, 200, JSON.stringify(signedIn.json));
      // Each tool uses its own address, because one address can send only ten requests per minute.
      const { json: asked } = await platform.api("POST", "/v1/device", {
        token: null,
        body: new URLSearchParams({ client_id: `tool ${n}` }),
        headers: { "x-forwarded-for": `192.0.2.${n + 1}` },
      });
      const approved = await approve(browser, asked.user_code, acme.id);
      assert.ok(approved.status < 300, JSON.stringify(approved.json));
      assert.equal((await poll(platform, asked.device_code, `tool ${n}`)).status, 200);
      await send("POST", "/v1/api-keys", { name: `key ${n}`, role: "viewer" });
      await send("POST", "/v1/workspaces", { slug: `team-${n}`, name: `Team ${n}` });
    }
    assert.deepEqual(await followAll(ada, OWN_LISTS), []);
    const { html } = await ada.open("/account/sessions?sessions=no-cursor");
    assert.match(html, /This one|action="\/account\/sessions\/end"/);
  }, { trustProxy: ["127.0.0.1"] }));
