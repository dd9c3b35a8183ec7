/**
 * Creates a workspace with one item of each kind, and returns the items' path parameters.
 *
 * @module
 */
import { endpoints } from "../../src/contract/endpoints.ts";
import { BOT_TOKEN, serveBotApi } from "./bot_api.ts";
import type { Browser } from "./browser.ts";
import { approve, form, poll } from "./device_flow.ts";
import { type HookPlatform, withHooks } from "./deploy_hooks.ts";
import { deploy, rawRequest, STATIC_MANIFEST } from "./platform.ts";
import { servePush } from "./push_service.ts";
import { until } from "../../src/lib/_test_until.ts";

/** Runs a test on a platform that has a repository, a bot and a push service for these items. */
export async function withEverything(
  run: (platform: HookPlatform, parts: {
    readonly api: ReturnType<typeof serveBotApi>;
    readonly push: ReturnType<typeof servePush>;
  }) => Promise<void>,
): Promise<void> {
  await using api = serveBotApi();
  let publicKey = "";
  await using push = servePush(() => publicKey);
  await withHooks(async (platform) => {
    const key = await platform.api("GET", "/v1/notifications/vapid-key", { token: null });
    publicKey = key.json.publicKey;
    await run(platform, { api, push });
  }, { bot: { token: BOT_TOKEN, api: api.url }, allowPrivateUpstreams: true });
}

/**
 * Returns the value of a path parameter. The value depends on the path, because API keys and
 * variables both have a parameter named `key`.
 */
export function valueOf(
  known: Readonly<Record<string, string>>,
  path: string,
  parameter: string,
): string | undefined {
  return parameter === "key" && path.includes("/variables/") ? known.variable : known[parameter];
}

/** All path parameters in the table of endpoints. */
export const PARAMETERS: ReadonlySet<string> = new Set(
  Object.values(endpoints).flatMap(({ path }) =>
    [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  ),
);

/**
 * Creates one item of each kind in the workspace `ada`. Returns a value for each path parameter.
 */
export async function furnish(
  platform: HookPlatform,
  ada: Browser,
  { workspaceId, api, push }: {
    readonly workspaceId: string;
    readonly api: ReturnType<typeof serveBotApi>;
    readonly push: ReturnType<typeof servePush>;
  },
): Promise<Record<string, string>> {
  const send = async (method: string, path: string, json?: unknown) => {
    const answer = await ada.send(method, path, {
      workspace: "ada",
      ...(json === undefined ? {} : { json }),
    });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.json)}`);
    return answer.json;
  };
  const project = "adas-secret-shop";
  const at = `/v1/projects/${project}`;
  await send("POST", "/v1/projects", { name: project, gitUrl: platform.repository.path });
  const environment = await send("POST", `${at}/environments`, { name: "adas-stage" });
  await send("PUT", `${at}/variables/ADAS_VARIABLE`, {
    value: "adas-value",
    category: "plain",
    scope: "all",
  });
  await send("PUT", `${at}/kv/value`, {
    key: "adas-boat",
    encoding: "text",
    value: "adas-kestrel",
  });
  const credential = await send("POST", `${at}/blobs/credentials`, { name: "adas-credential" });
  const database = await send("POST", `${at}/databases`, { name: "adas-orders" });
  const added = await send("POST", `${at}/domains`, {
    hostname: "adas-shop.example",
    environment: "production",
  });
  const key = await send("POST", "/v1/api-keys", { name: "adas-key", role: "owner" });
  const publisher = await send("POST", "/v1/trusted-publishers", {
    provider: "github",
    repository: "adas/adas-shop",
    permissions: ["read"],
  });
  const own = {
    ...platform,
    api: (method: string, path: string, options = {}) =>
      platform.api(method, path, { token: key.key, ...options }),
  };
  await deploy(own, project, {
    files: { "index.html": "adas-page" },
    manifest: { ...STATIC_MANIFEST, forms: [{ name: "adas-form", notify: false }] },
  });
  const sent = await rawRequest(platform.port, {
    method: "POST",
    host: `${project}.localhost`,
    path: "/_svc/forms/adas-form",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: "message=adas-words",
  });
  if (sent.status !== 200) throw new Error(sent.text);
  const { items: [submission] } = await send("GET", `${at}/forms/adas-form/submissions`);
  const { headers } = await own.api("GET", `${at}/rules`);
  const published = await own.api("PUT", `${at}/rules`, {
    json: {
      schemaVersion: "EDGE_RULE_SET_V1",
      // No program is listening there, so requests fail, and the item has an error to show.
      rules: [{
        id: "adas-broken",
        condition: { path: { type: "exact", value: "/adas-broken" } },
        action: { type: "rewrite", target: "https://127.0.0.1:9/", external: true },
      }],
    },
    headers: { "if-match": headers.get("etag") ?? "*" },
  });
  if (published.status !== 200) throw new Error(JSON.stringify(published.json));
  await platform.get(`${project}.localhost`, "/adas-broken");
  const { items: [error] } = await until(
    () => send("GET", `${at}/errors`),
    ({ items }) => items.length > 0,
  );
  const hook = await send("POST", "/v1/deploy-hooks", {
    projectId: project,
    name: "adas-hook",
    branch: "main",
    scope: "All",
  });
  const commitSha = await platform.repository.git("rev-parse", "main");
  const triggered = await platform.trigger(hook.url, { branch: "main", commitSha, force: true });
  const ended = await platform.ended(triggered);
  const share = await send("POST", `/v1/deployments/${ended.id}/shares`, {});
  const { items: [build] } = await send("GET", `${at}/builds`);
  const { url } = await send("POST", "/v1/account/messenger/link");
  api.write(7, `/start ${new URL(url).searchParams.get("start")}`);
  const { items: [link] } = await until(
    () => send("GET", "/v1/account/messenger"),
    ({ items }) => items.length > 0,
  );
  await using gone = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response(null, { status: 410 }),
  );
  const drain = await send("POST", "/v1/projects/adas-secret-shop/drains", {
    url: "https://otlp.example/adas-drain",
    headers: { authorization: "adas-drain-token" },
  });
  const webhook = await send("POST", "/v1/webhooks", {
    url: `http://127.0.0.1:${gone.addr.port}/adas-receiver`,
    description: "adas-webhook",
  });
  await send("POST", "/v1/events", {
    event: "billing.card_expired",
    data: { detail: "adas-card" },
  });
  const { items: [letter] } = await until(
    () => send("GET", "/v1/dead-letters"),
    ({ items }) => items.length > 0,
  );
  const { items: [delivery] } = await send("GET", `/v1/webhooks/${webhook.id}/deliveries`);
  const { items: [notification] } = await send("GET", "/v1/notifications");
  const subscription = await send(
    "POST",
    "/v1/notifications/push-subscription",
    push.subscribe("adas-laptop"),
  );
  const stored = `${at}/databases/${database.id}`;
  await until(() => send("GET", stored), ({ state }) => state === "active", 120_000);
  const branch = await send("POST", `${stored}/branches`, { name: "adas-branch" });
  const snapshot = await send("POST", `${stored}/snapshots`, {});
  const invitation = await send("POST", "/v1/invitations", { role: "viewer" });
  const account = await send("GET", "/v1/account");
  const { items: [session] } = await send("GET", "/v1/account/sessions");
  const { json: tool } = await form(platform, "/v1/device", { client_id: "adas-tool" });
  await approve(ada, tool.user_code, workspaceId);
  await poll(platform, tool.device_code, "adas-tool");
  const { items: [grant] } = await send("GET", "/v1/account/tools");
  const { json: device } = await form(platform, "/v1/device", { client_id: "adas-tool" });
  return {
    // No site declares this queue.
    queue: "adas-mails",
    message: crypto.randomUUID(),
    form: "adas-form",
    submission: submission.id,
    project,
    variable: "ADAS_VARIABLE",
    domain: (added.domain ?? added).id,
    environment: environment.id,
    database: database.id,
    branch: branch.name,
    snapshot: snapshot.id,
    deployment: ended.id,
    error: error.id,
    key: key.id,
    credential: credential.id,
    publisher: publisher.id,
    revision: published.json.revisionId,
    hook: hook.id,
    share: share.id,
    build: build.id,
    ticket: new URL(triggered.json.statusUrl).pathname.split("/").at(-1)!,
    token: new URL(hook.url).pathname.split("/").at(-1)!,
    drain: drain.id,
    webhook: webhook.id,
    delivery: delivery.id,
    letter: letter.id,
    notification: notification.id,
    subscription_id: subscription.id,
    link: link.id,
    invitation: invitation.id,
    user: account.id,
    session: session.id,
    tool: grant.id,
    userCode: device.user_code,
  };
}
