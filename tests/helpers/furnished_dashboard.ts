/**
 * Creates a workspace that has content on every page of the dashboard.
 *
 * @module
 */
import assert from "node:assert/strict";
import { until } from "../../src/lib/_test_until.ts";
import { createDatabase, sendSql } from "./databases.ts";
import type { DashboardPlatform } from "./dashboard.ts";
import { failSites } from "./failing_sites.ts";
import { formsOf } from "./page_visitor.ts";
import { consentPath } from "./page_routes.ts";
import { create, deploy, rawRequest, STATIC_MANIFEST } from "./platform.ts";

export const SHOP = "/workspaces/acme/projects/harbour-shop";
export const STUDIO = "/workspaces/acme/projects/shop/databases/orders";

/** A site's icon. */
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40">
<rect width="40" height="40" fill="#0b4f6c"/><g fill="none" stroke="#fff" stroke-width="3">
<path d="M6 16q7-7 14 0t14 0"/><path d="M6 26q7-7 14 0t14 0"/></g></svg>`;

const RULES = {
  schemaVersion: "EDGE_RULE_SET_V1",
  rules: [
    {
      id: "old-blog",
      name: "The blog moved",
      condition: { path: { type: "glob", value: "/blog/{slug}" } },
      action: { type: "redirect", target: "/news/{slug}", statusCode: 301 },
    },
    {
      id: "closed",
      condition: { path: { type: "prefix", value: "/admin" } },
      action: { type: "deny", statusCode: 403 },
    },
  ],
};

const VISITOR = {
  "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
  referer: "https://news.example/harbours",
};

/** Fills the workspace. Returns the names and paths of the pages to view. */
export async function furnishDashboard(parts: DashboardPlatform) {
  const { api, own, platform, ada } = parts;
  const { shop: failed } = await failSites(parts);
  await createDatabase(own, "shop", "orders");
  const { json: { key: token } } = await api("POST", "/v1/api-keys", {
    name: "boats",
    role: "developer",
  });
  const statements = [
    { sql: "CREATE TABLE boats (name text PRIMARY KEY, berth int DEFAULT 1)" },
    { sql: "INSERT INTO boats VALUES ($1, NULL)", params: ["Kestrel"] },
  ];
  for (const body of statements) {
    const at = "/v1/projects/shop/databases/orders";
    assert.doesNotMatch(await (await sendSql(platform, at, body, { token })).text(), /"error"/);
  }
  const invitation = await ada.send("POST", "/workspaces/acme/invitations", {
    fields: {
      csrf: formsOf((await ada.open("/workspaces/acme")).html)[0]!.fields.csrf!,
      role: "viewer",
    },
  });
  const [, invited = ""] = /(\/invitation\/[^"<\s]+)/.exec(invitation.html) ?? [];
  const consent = await consentPath(platform);
  for (const name of ["docs", "tide-tables"]) await api("POST", "/v1/projects", { name });
  await api("POST", "/v1/projects", {
    name: "harbour-shop",
    gitUrl: "https://git.example/harbour/shop.git",
  });
  const author = "Ada Lovelace";
  await deploy(own, "tide-tables", {
    files: { "index.html": "tides", "favicon.svg": ICON },
    message: "November tables",
    author,
  });
  await deploy(own, "harbour-shop", {
    files: { "index.html": "one" },
    message: "Show the tide next to the opening hours",
    author,
    rules: RULES,
    manifest: { ...STATIC_MANIFEST, vitals: true, forms: [{ name: "contact", notify: false }] },
  });
  const preview = await deploy(own, "harbour-shop", {
    files: { "index.html": "two" },
    prod: false,
    branch: "feature/lanterns",
    message: "Lanterns on the quay",
    author: "Grace Hopper",
  });
  await create(own, "harbour-shop", { files: { "a.html": "three" }, prod: false, branch: "map" });
  const at = "/v1/projects/harbour-shop";
  await api("PUT", `${at}/variables/SHOP`, { value: "Harbour", category: "plain", scope: "all" });
  await api("POST", `${at}/domains`, { hostname: "shop.example", environment: "production" });
  await api("POST", "/v1/deploy-hooks", {
    projectId: "harbour-shop",
    name: "Content system",
    branch: "main",
    scope: "All",
  });
  const boats = { "boats/kestrel": '{"name":"Kestrel","berth":14}', "boats/heron": "at sea" };
  for (const [key, value] of Object.entries({ ...boats, "tides/2026-11-23": "06:41 18:58" })) {
    await api("PUT", `${at}/kv/value`, { key, encoding: "text", value });
  }
  for (const key of ["photos/kestrel.jpg", "photos/heron.jpg", "tides.csv"]) {
    const { json } = await api("POST", `${at}/blobs/sign`, { key, method: "PUT" });
    await (await fetch(json.url, { method: "PUT", body: key.repeat(999) })).body?.cancel();
  }
  const letter = { body: '{"boat":"Kestrel"}', key: "kestrel" };
  await api("POST", "/v1/projects/ferry/queues/boats/messages", letter);
  await api("POST", "/v1/projects/ferry/cron/runs", { path: "/api/tides" });
  await api("POST", `${at}/drains`, { url: "https://otlp.example", headers: { token: "x" } });
  await rawRequest(platform.port, {
    method: "POST",
    host: "harbour-shop.localhost",
    path: "/_svc/forms/contact",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ name: "Grace", message: "Are there lanterns?" }).toString(),
  });
  for (const path of ["/", "/missing", "/blog/tides", "/"]) {
    await platform.get("harbour-shop.localhost", path, VISITOR);
  }
  for (const [p, lcp, inp, cls] of [["/", 1840, 96, 0.02], ["/news", 2900, 640, 0.31]] as const) {
    await rawRequest(platform.port, {
      method: "POST",
      host: "harbour-shop.localhost",
      path: "/_svc/vitals",
      headers: VISITOR,
      body: JSON.stringify({ p, lcp, inp, cls, fcp: 900, ttfb: 80 }),
    });
  }
  const { json: { items: [entry] } } = await api("GET", `${at}/logs?status=404`);
  await until(
    async () => (await api("GET", "/v1/projects/ferry/queues")).json.items[0].dead,
    (dead) => dead === 1,
  );
  const { json: key } = await api("POST", "/v1/api-keys", {
    name: "previews",
    permissions: ["read", "deploy-previews"],
    description: "CI of branches",
  });
  const { json: webhook } = await api("POST", "/v1/webhooks", { url: "https://hooks.example/svc" });
  await api("POST", "/v1/trusted-publishers", {
    provider: "github",
    repository: "harbour/shop",
    branch: "main",
    permissions: ["deploy-production"],
  });
  return [
    ["overview", "/workspaces/acme/projects"],
    ["workspaces", "/workspaces"],
    ["invitation", invited],
    ["consent", consent],
    ["device", "/device"],
    ["activity", "/account/activity"],
    ["channels", "/account/channels"],
    ["error", `/workspaces/acme/projects/shop/errors/${failed.error}`],
    ["error-list", "/workspaces/acme/projects/shop/errors"],
    ["database", STUDIO],
    ["tables", `${STUDIO}/tables`],
    ["row", `${STUDIO}/tables/row?table=boats&key=Kestrel`],
    ["new-row", `${STUDIO}/tables/new?table=boats`],
    ["sql", `${STUDIO}/sql`],
    ["schema-diff", `${STUDIO}/diff`],
    ["reference", "/docs/api"],
    ["reference-part", "/docs/api/projects"],
    ["new-project", "/workspaces/acme/new-project"],
    ["import", "/workspaces/acme/new-project/git"],
    ["upload", "/workspaces/acme/new-project/upload"],
    ["template", "/workspaces/acme/new-project/template"],
    ["upload-again", "/workspaces/acme/projects/docs/deploy"],
    ["deploy", `${SHOP}/deploy`],
    ["members", "/workspaces/acme"],
    ["keys", "/workspaces/acme/keys"],
    ["key", `/workspaces/acme/keys/${key.id}`],
    ["publishers", "/workspaces/acme/publishers"],
    ["webhooks", "/workspaces/acme/webhooks"],
    ["webhook", `/workspaces/acme/webhooks/${webhook.id}`],
    ["audit", "/workspaces/acme/audit"],
    ["workspace-usage", "/workspaces/acme/usage"],
    ["project", SHOP],
    ["empty-project", "/workspaces/acme/projects/docs"],
    ["deployment", `/deployments/${preview.id}`],
    ["comparison", `/deployments/${preview.id}/compare`],
    ["log-counts", `${SHOP}/logs?counts=1&range=1h&status=4xx`],
    [
      "log-entry",
      `${SHOP}/logs/entry?${new URLSearchParams({ at: entry.time, request: entry.requestId })}`,
    ],
    ["search", "/workspaces/acme/search?q=shop"],
    ["letters", "/workspaces/acme/projects/ferry/queues?queue=boats"],
    ["tasks", "/workspaces/acme/projects/ferry/cron"],
    ["submissions", `${SHOP}/forms?form=contact`],
    ["blob", `${SHOP}/blobs?key=${encodeURIComponent("photos/kestrel.jpg")}`],
    ["kv-value", `${SHOP}/kv?key=${encodeURIComponent("boats/kestrel")}`],
    ...[
      "builds",
      "logs",
      "traffic",
      "errors",
      "kv",
      "blobs",
      "queues",
      "forms",
      "domains",
      "environments",
      "hooks",
      "rules",
      "drains",
      "cron",
      "databases",
      "usage",
      "settings",
    ]
      .map((
        page,
      ) => [page, `${SHOP}/${page}`]),
    ["edge", `${SHOP}/edge?method=GET&url=%2Fblog%2Ftides`],
    ["inbox", "/notifications"],
    ["preferences", "/notifications/preferences"],
    ["account", "/account"],
    ["sessions", "/account/sessions"],
    ["docs", "/docs"],
    ["document", "/docs/rules"],
    ["docs-search", "/docs/search?q=rollback"],
  ] as [string, string][];
}
