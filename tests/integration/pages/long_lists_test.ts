/** Lists of more records than a page holds: no page shows them all, and each leads on to the rest. */
import assert from "node:assert/strict";
import { withDashboard } from "../../helpers/dashboard.ts";
import { create } from "../../helpers/platform.ts";

const MANY = 110;
/** Most rows of any list. */
const MOST_ROWS = 100;
const SHOP = "/workspaces/acme/projects/shop";

/** Lists by their pages, and what their rows and the way to the next of them look like. */
const LISTS: readonly (readonly [page: string, row: RegExp, many?: number])[] = [
  ["/workspaces/acme/projects", /<li class="tile"/g],
  ["/workspaces/acme", /Open invitation/g],
  ["/workspaces/acme/keys", /href="\/workspaces\/acme\/keys\/[0-9a-f-]{36}"/g],
  ["/workspaces/acme/audit", /<span class="soft mono">\/v1\//g],
  [SHOP, /<a class="whole" href="\/deployments\//g],
  [`${SHOP}/variables`, />KEY_\d+</g],
  [`${SHOP}/kv`, /<a class="whole mono"/g],
  [`${SHOP}/hooks`, />hook \d+</g, 60],
  [`${SHOP}/domains`, />(?:www\.)?h\d+\.example</g],
  ["/notifications", /class="what"/g],
];

/** The address of the next rows. */
function nextOf(html: string): string | undefined {
  const [, href] =
    /<a [^>]*href="([^"]*(?:cursor|offset|invitations)=[^"]+)"[^>]*>(?:Next|Older|More)/
      .exec(html) ?? [];
  return href?.replaceAll("&amp;", "&");
}

Deno.test("no page shows a whole long list, and each leads on until all was shown", () =>
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
        ...{ projectId: "shop", name: `hook ${n}`, branch: "main", scope: "All" },
      });
      await api("POST", `${at}/domains`, { hostname: `h${n}.example`, environment: "production" });
    }
    const wrong: string[] = [];
    for (const [page, row, many = MANY] of LISTS) {
      let [total, pages] = [0, 0];
      for (let path: string | undefined = page; path !== undefined && pages < 20; pages++) {
        const { status, html } = await ada.open(path);
        assert.equal(status, 200, path);
        const rows = html.match(row)?.length ?? 0;
        if (rows > MOST_ROWS) wrong.push(`${path} has ${rows} rows`);
        total += rows;
        path = nextOf(html);
      }
      if (total < many || pages < 2) wrong.push(`${page} shows ${total} rows on ${pages} pages`);
    }
    assert.deepEqual(wrong, []);
  }));
