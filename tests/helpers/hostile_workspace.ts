/**
 * Creates a workspace with markup in everything that a user, a commit, a visitor, a log line or a
 * deployed site can fill.
 *
 * @module
 */
import { EVENT_NAMES, EVENTS } from "../../src/contract/events.ts";
import type { TestRepository } from "../../src/lib/_test_git.ts";
import { until } from "../../src/lib/_test_until.ts";
import type { DashboardPlatform } from "./dashboard.ts";
import { failSites } from "./failing_sites.ts";
import { BRANCH, HostileSender, IN_PATH, MARKUP, openFields } from "./hostile_fields.ts";
import { type ApiAnswer, deploy, rawRequest, STATIC_MANIFEST } from "./platform.ts";

const BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const AT = "/v1/projects/shop";
const OF_SHOP = { project: "shop" };
const SHOP = "/workspaces/acme/projects/shop";

/**
 * Fields that cannot be filled with a request body alone, or that are never shown. A reason is
 * given for each field.
 */
const ELSEWHERE: readonly (readonly [RegExp, string])[] = [
  [/\b(?:password|token|code|challenge|device_code|current)$/, "is compared or hashed"],
  [/^changePassword next$/, "is hashed"],
  [/^signUp next$/, "is a path to continue to; see return_path_test"],
  [
    /^(?:confirm|complete|claim|pollDevice|acceptInvitation|disable|renew|start|add)\w* (?!.*\bname$)/,
    "is compared, or sent by the test itself",
  ],
  [/^setGitCredentials /, "is encrypted, and no page shows it"],
  [/^checkDeployment /, "is checked but not stored"],
  [/^claimOwner name$/, "is the name of an account, as in signUp"],
  [/^signIn /, "is compared"],
  [/^exportVariables /, "is looked up, or returned to the program that sent it"],
  [/^restoreDatabaseSnapshot /, "is the name of a branch, as in createDatabaseBranch"],
  [/^updatePreviewAccess /, "is compared with requests, and no page shows it"],
  [/^queryDatabase /, "is typed into the query box by the test itself"],
  [
    /^(?:sendQueueMessage|retryQueue|retryQueueMessage|deleteQueueMessage|purgeQueue) /,
    "is sent to the queues of a real server; see queues_test",
  ],
  [/^purgeForm /, "is looked up"],
  [/^(?:copyBlob|signBlob|createBlobKey) /, "no page shows blob stores"],
  [/^migrateDeployment /, "fails the deployment with this text, as a build does"],
  [/^createPublisher issuer$/, "belongs to a provider"],
  [
    /^(?:triggerHook|buildSources|createDeployment files|createDeployment base|createDeployment functions)/,
    "is filled by a real deployment and a real hook below",
  ],
];

export const isElsewhere = (field: string): boolean =>
  ELSEWHERE.some(([pattern]) => pattern.test(field));

const RULES = {
  schemaVersion: "EDGE_RULE_SET_V1",
  rules: [
    {
      id: "closed",
      name: MARKUP,
      condition: {
        path: { type: "prefix", value: "/admin" },
        headers: { "x-markup": MARKUP },
      },
      action: { type: "deny", statusCode: 403 },
    },
    { id: "noted", name: MARKUP, action: { type: "set_headers", headers: { "x-said": MARKUP } } },
  ],
};

/** Creates the project `shop`, and fills the bodies in the contract. */
async function fillBodies({ platform, own, ada }: DashboardPlatform, sender: HostileSender) {
  await sender.fill("createProject", {
    base: (turn) => ({ name: turn === 0 ? "shop" : `shop-${turn}` }),
  });
  if (sender.refused.size > 0) {
    await own.api("POST", "/v1/projects", { json: { name: "shop", displayName: MARKUP } });
  }
  await sender.fill("updateProject", { params: OF_SHOP });
  const live = await deploy(own, "shop", {
    files: {
      "index.html": "one",
      [`${BRANCH}.html`]: "named",
      "x<img src=x onerror=alert(9)>": "",
    },
    manifest: { ...STATIC_MANIFEST, vitals: true, forms: [{ name: "contact" }] },
    message: MARKUP,
    author: MARKUP,
    rules: RULES,
  });
  const deployment = {
    environment: "production",
    manifest: STATIC_MANIFEST,
    files: [],
  };
  await sender.fill("createDeployment", {
    params: OF_SHOP,
    base: deployment,
    only: /^(?!files|base|functions)/,
  });
  const command = openFields().get("activateDeployment")!.get("commands[].name")!;
  const checked = await own.api("POST", "/v1/projects/shop/deployments", {
    json: { ...deployment, manifest: { ...STATIC_MANIFEST, checks: { commands: [command] } } },
  });
  const { id } = checked.json.deployment;
  await own.api("POST", `/v1/deployments/${id}/stage`);
  await sender.fill("activateDeployment", {
    params: { deployment: id },
    base: { commands: [{ name: command, passed: true, durationMs: 1, problem: null }] },
  });
  await own.api("POST", "/v1/projects/shop/rollback", { json: {} });
  await sender.fill("setVariable", {
    params: { ...OF_SHOP, key: "MARKUP" },
    base: { value: "x", category: "plain", scope: "all" },
  });
  const value = { key: "boat", encoding: "text", value: "x" };
  await sender.fill("setKvValue", { params: OF_SHOP, base: value });
  await sender.fill("addDomain", {
    params: OF_SHOP,
    base: { hostname: "shop.example", environment: "production" },
  });
  const hook = { projectId: "shop", name: "hook", branch: "main", scope: "All" };
  const made = await sender.fill("createHook", { base: hook });
  await sender.fill("updateHook", { params: { hook: made!.json.id } });
  const key = await sender.fill("createApiKey", {
    base: { name: "key", role: "viewer" },
  });
  await sender.fill("updateApiKey", { params: { key: key!.json.id } });
  await sender.fill("createPublisher", {
    base: { provider: "github", repository: "acme/shop", permissions: ["read"] },
    only: /^(?!issuer)/,
  });
  const receiver = { url: "https://hooks.example/" };
  const webhook = await sender.fill("createWebhook", { base: receiver });
  await sender.fill("updateWebhook", { params: { webhook: webhook!.json.id } });
  await sender.fill("createDrain", { params: OF_SHOP, base: { url: "https://otlp.example/" } });
  await sender.fill("renameWorkspace", {});
  const database = await own.api("POST", `${AT}/databases`, { json: { name: "orders" } });
  const stored = `${AT}/databases/${database.json.id}`;
  const ofOrders = { ...OF_SHOP, database: database.json.id };
  await sender.fill("updateDatabase", { params: ofOrders });
  await until(() => own.api("GET", stored), ({ json }) => json.state === "active", 120_000);
  await sender.fill("createDatabaseBranch", {
    params: ofOrders,
    base: (turn) => ({ name: `b${turn}` }),
  });
  await sender.fill("createDatabaseSnapshot", { params: ofOrders });
  await sender.fill("startBuild", { params: OF_SHOP });
  await sender.fill("runCronTask", { params: OF_SHOP, base: { path: "/x" } });
  await sender.fill("purgeCache", { params: OF_SHOP, base: { type: "tag", tag: "x" } });
  await fillPeople({ platform, ada }, sender);
  return { live: live.id as string, checked: id as string, key: key!.json.id as string };
}

/** One event for each form of event data. */
const KINDS = [...new Map(EVENT_NAMES.map((event) => [EVENTS[event].data, event])).values()];

/** Puts markup into the names of people and programs, and into the text of events. */
async function fillPeople(
  { platform, ada }: Pick<DashboardPlatform, "platform" | "ada">,
  sender: HostileSender,
) {
  for (const event of KINDS) {
    await sender.fill("triggerEvent", { base: { event, data: {} } });
  }
  const bySession = (path: string, json: unknown) =>
    platform.api("POST", path, {
      token: null,
      json,
      headers: { cookie: ada.cookie, "x-workspace": "acme", "sec-fetch-site": "same-origin" },
    });
  const account = new HostileSender((_, path, json) => bySession(path, json));
  await account.fill("createWorkspace", {
    base: (turn) => ({ slug: `other-${turn}`, name: "x" }),
  });
  await account.fill("signUp", {
    base: { email: "eve@example.com", password: "correct horse battery", name: "x" },
    only: /^name$/,
  });
  await account.fill("createPushSubscription", {
    base: {
      endpoint: "https://push.example/own",
      keys: {
        p256dh:
          `BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4`,
        auth: "BTBZMqHH6r4Tts7J_aSIgg",
      },
    },
  });
  for (const field of account.taken) sender.taken.add(field);
  for (const field of account.refused) sender.refused.add(field);
}

/** Puts markup into data from visitors, and into the text of sites and their logs. */
async function fillTraffic(parts: DashboardPlatform) {
  const send = (method: string, path: string, body?: string) =>
    rawRequest(parts.platform.port, {
      method,
      host: "shop.localhost",
      path,
      headers: {
        "user-agent": `${BROWSER} ${MARKUP}`,
        referer: `https://news.example/${MARKUP}`,
        "content-type": "application/x-www-form-urlencoded",
      },
      ...(body === undefined ? {} : { body }),
    });
  for (const path of ["/", `/admin${IN_PATH}`, IN_PATH]) await send("GET", path);
  const counted = await send("POST", "/_svc/vitals", JSON.stringify({ p: IN_PATH, lcp: 9 }));
  if (counted.status !== 204) throw new Error(`The vitals are refused: ${counted.status}`);
  const form = String(new URLSearchParams({ [MARKUP.slice(0, 100)]: MARKUP, message: MARKUP }));
  const taken = await send("POST", "/_svc/forms/contact", form);
  if (taken.status !== 200) throw new Error(`The form is refused: ${taken.status}`);
}

/**
 * Builds a commit whose message, author, branch and build output are markup. Returns the commit's
 * deployment.
 */
async function fillBuild({ api, own }: DashboardPlatform, repository: TestRepository) {
  await api("POST", "/v1/projects", {
    name: "built",
    gitUrl: repository.path,
    displayName: MARKUP,
    buildCommand: `cat said.txt; cat said.txt >&2; exit 3`,
    installCommand: "true",
    outputDirectory: ".",
  });
  const { json: hook } = await api("POST", "/v1/deploy-hooks", {
    projectId: "built",
    name: MARKUP,
    branch: BRANCH,
    scope: "All",
  });
  const commitSha = await repository.commit(BRANCH, { "said.txt": `${MARKUP}\n` }, MARKUP);
  const { json: triggered } = await own.api("POST", new URL(hook.url).pathname, {
    token: null,
    json: { branch: BRANCH, commitSha, message: MARKUP, author: MARKUP },
  });
  await until(
    () => api("GET", `/v1/deployments/${triggered.id}`),
    ({ json }) => json.status === "FAILED",
    120_000,
  );
  return triggered.id as string;
}

const quote = (text: string, sign: string): string =>
  sign + text.replaceAll(sign, sign + sign) + sign;

const TABLE = quote(MARKUP.slice(0, 60), '"');
/** Creates a table, a column and a row with markup, and ends with an error that contains markup. */
const SQL = `create table ${TABLE} (${quote(IN_PATH, '"')} text);
insert into ${TABLE} values (${quote(MARKUP, "'")});
select *, ${quote(MARKUP, "'")} as ${quote(BRANCH, '"')} from ${TABLE};
select * from ${quote(`no ${BRANCH}`, '"')}`;

/** Creates the workspace. Returns the pages that show its content. */
export async function fillWorkspace(parts: DashboardPlatform, repository: TestRepository) {
  const { own } = parts;
  const sender = new HostileSender((method, path, json): Promise<ApiAnswer> =>
    own.api(method, path, { json, headers: { "if-match": "*" } })
  );
  const ids = await fillBodies(parts, sender);
  await fillTraffic(parts);
  const built = await fillBuild(parts, repository);
  const failed = await failSites(parts, "failing");
  return {
    sender,
    sql: SQL,
    paths: pathsOf({ ...ids, built, failed: failed.shop.error }),
  };
}

const query = (name: string, text: string): string => `?${new URLSearchParams({ [name]: text })}`;

function pathsOf(of: Readonly<Record<"live" | "checked" | "key" | "built" | "failed", string>>) {
  const failing = "/workspaces/acme/projects/failing";
  return [
    ...["/projects", "", "/audit", "/usage", "/new-project"].map((page) =>
      `/workspaces/acme${page}`
    ),
    ...["keys", `keys/${of.key}`, "publishers"].map((page) => `/workspaces/acme/${page}`),
    `/workspaces/acme/search${query("q", MARKUP)}`,
    ...["alert", "eve@", "orders"].map((text) => `/workspaces/acme/search${query("q", text)}`),
    `/workspaces/acme/audit${query("project", MARKUP)}`,
    ...["", "/day", "/logs", "/traffic", "/domains", "/variables", "/hooks", "/databases", "/kv"]
      .map((page) => SHOP + page),
    ...["/errors", "/usage", "/settings", "/drains", "/databases/orders"].map((page) =>
      SHOP + page
    ),
    `${SHOP}/logs${query("search", MARKUP)}`,
    `${SHOP}/logs${query("counts", "1")}`,
    `${SHOP}/kv${query("key", MARKUP)}`,
    `${SHOP}/forms?form=contact`,
    `${SHOP}/forms?form=contact&show=spam`,
    `${SHOP}/kv${query("prefix", MARKUP)}`,
    `${SHOP}/edge?method=GET&url=${encodeURIComponent(`/admin${IN_PATH}`)}`,
    failing,
    `${failing}/errors`,
    `${failing}/logs`,
    `${failing}/errors/${of.failed}`,
    ...["", "/logs", "/errors"].map((page) => `/workspaces/acme/projects/ferry${page}`),
    ...["", "/hooks", "/settings"].map((page) => `/workspaces/acme/projects/built${page}`),
    ...[of.live, of.checked, of.built].flatMap((
      id,
    ) => [`/deployments/${id}`, `/deployments/${id}/compare`]),
    `/deployments/${of.built}${query("search", "alert")}`,
    "/notifications",
    "/notifications?show=archive",
    "/notifications/preferences",
    "/account",
    "/account/sessions",
    "/account/activity",
    "/account/channels",
    "/workspaces",
    `/device${query("code", MARKUP)}`,
    `/sign-in${query("next", MARKUP)}`,
  ];
}
