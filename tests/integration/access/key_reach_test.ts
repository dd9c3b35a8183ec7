/**
 * Checks for all endpoints that a key or a CLI token reaches only its own workspace, whatever else
 * its owner can access.
 */
import assert from "node:assert/strict";
import type { Endpoint } from "../../../src/contract/endpoint.ts";
import { endpoints } from "../../../src/contract/endpoints.ts";
import { type Browser, join, signUp, signUpWithWorkspace } from "../../helpers/browser.ts";
import { approve, form, poll } from "../../helpers/device_flow.ts";
import { furnish, valueOf, withEverything } from "../../helpers/furnished_workspace.ts";
import { type ApiAnswer, STATIC_MANIFEST, type TestPlatform } from "../../helpers/platform.ts";

type Known = Readonly<Record<string, string>>;
type Named = readonly [name: keyof typeof endpoints, endpoint: Endpoint];

const ALL = Object.entries(endpoints) as unknown as readonly Named[];
const KEY_ROLES = ["viewer", "developer", "owner"] as const;

/**
 * Returns whether the path names a resource that belongs to someone. Blobs are identified by their
 * hash and do not belong to anyone.
 */
const isOfSomebody = ({ path }: Endpoint): boolean => /\{(?!sha256)\w+\}/.test(path);

/** Bodies that pass validation, so that only later checks can reject them. */
const BODIES: Partial<Record<keyof typeof endpoints, (known: Known) => unknown>> = {
  changeMember: () => ({ role: "viewer" }),
  updateProject: () => ({ branch: "taken" }),
  setGitCredentials: () => ({ type: "https", username: "taken", token: "taken" }),
  createDeployment: () => ({ environment: "production", manifest: STATIC_MANIFEST, files: [] }),
  checkDeployment: () => ({ environment: "production", manifest: STATIC_MANIFEST, files: [] }),
  rollback: () => ({}),
  updatePreviewAccess: () => ({ protection: "all" }),
  createShare: () => ({}),
  startBuild: () => ({}),
  buildSources: () => ({ files: [{ path: "index.html", sha256: "0".repeat(64), size: 0 }] }),
  createHook: ({ project }) => ({ projectId: project, name: "t", branch: "main", scope: "All" }),
  updateHook: () => ({ name: "taken" }),
  createDatabase: () => ({ name: "taken" }),
  updateDatabase: () => ({ autoInject: false }),
  moveDatabase: () => ({ engine: "server" }),
  createDatabaseBranch: () => ({ name: "taken" }),
  createDatabaseSnapshot: () => ({}),
  restoreDatabaseSnapshot: () => ({ branch: "taken" }),
  queryDatabase: () => ({ sql: "SELECT 1" }),
  addEdge: () => ({ name: "taken" }),
  drainEdge: () => ({ isDrained: true }),
  migrateDeployment: () => ({}),
  createDrain: () => ({ url: "https://otlp.example/" }),
  createEnvironment: () => ({ name: "taken" }),
  setKvValue: () => ({ key: "adas-boat", encoding: "text", value: "taken" }),
  copyBlob: () => ({ key: "adas-boat", to: "taken" }),
  signBlob: () => ({ key: "adas-boat" }),
  createBlobKey: () => ({ name: "taken" }),
  setVariable: () => ({ value: "taken", category: "plain", scope: "all" }),
  exportVariables: () => ({ environment: "production" }),
  runCronTask: () => ({ path: "/taken" }),
  sendQueueMessage: () => ({ body: "taken" }),
  retryQueueMessage: () => ({}),
  retryQueue: () => ({}),
  purgeQueue: () => ({ state: "waiting" }),
  purgeForm: () => ({ state: "spam" }),
  purgeCache: () => ({ type: "all" }),
  addDomain: () => ({ hostname: "taken.example", environment: "production" }),
  putRules: () => ({ schemaVersion: "EDGE_RULE_SET_V1", rules: [] }),
  updateWebhook: () => ({ description: "taken" }),
  createWorkspace: () => ({ slug: "taken", name: "Taken" }),
  renameWorkspace: () => ({ name: "Renamed" }),
  createInvitation: () => ({ role: "viewer" }),
  updateApiKey: () => ({ name: "taken" }),
  createApiKey: () => ({ name: "made", role: "viewer" }),
  createPublisher: () => ({
    provider: "github",
    repository: "taken/taken",
    permissions: ["read"],
  }),
  createProject: () => ({ name: "own-project" }),
  createWebhook: () => ({ url: "https://webhook.example/" }),
  triggerEvent: () => ({ event: "billing.card_expired" }),
  putChannelPreference: () => ({ channel: "email", enabled: false }),
  putCategoryPreference: () => ({ category: "Deployment", minimumPriority: "CRITICAL" }),
  createPushSubscription: () => ({
    endpoint: "https://push.example/own",
    keys: {
      p256dh:
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
      auth: "BTBZMqHH6r4Tts7J_aSIgg",
    },
  }),
  sendTestNotification: () => ({ channel: "messenger" }),
};

/**
 * The two endpoints that revoke the credential itself or end its owner's membership. Other tests
 * cover them.
 */
const ENDING: readonly string[] = ["signOut", "leaveWorkspace"];

const isRead = ({ method, responseKind }: Endpoint): boolean =>
  method === "GET" && responseKind === "json";

/**
 * Queries that endpoints require, by the end of their paths. The audit log is read completely
 * because the test skips its own entries.
 */
const QUERIES: readonly (readonly [string, string])[] = [
  ["/blobs/object", "?key=adas-boat"],
  ["/kv/value", "?key=adas-boat"],
  ["/v1/audit", "?limit=100"],
];

const pathOf = (endpoint: Endpoint, known: Known): string =>
  endpoint.path.replace(
    /\{(\w+)\}/g,
    (_, key) => valueOf(known, endpoint.path, key) ?? (key === "edge" ? "far" : "0".repeat(64)),
  ) + (QUERIES.find(([end]) => endpoint.path.endsWith(end))?.[1] ?? "");

/**
 * Endpoints whose values change over time, or because of the test's own actions in the other
 * workspace.
 */
const PASSING: readonly string[] = ["listAccountEvents", "getInboxCount", "hasUnread"];

/** Endpoints that require a queue, which the site does not declare. */
const OF_QUEUES: readonly string[] = ["listQueueMessages"];

/** Endpoints that are only for the platform's owner. */
const OF_OPERATOR: readonly string[] = [
  "listNodes",
  "listEdges",
  "listPlatformDrains",
  "getBackups",
];
const VOLATILE = new Set([
  "lastUsedAt",
  "lastDeliveredAt",
  "requestId",
  "lastAddress",
  "lastCountry",
  "running",
  "connections",
  // The hours in the traffic report change over time.
  "steps",
  "from",
  "to",
  "sizeBytes",
  // The period that can be restored becomes longer over time.
  "history",
]);

const stable = (json: unknown): string =>
  JSON.stringify(json, (name, value) => VOLATILE.has(name) ? undefined : value);

/** Returns everything in the workspace and the account that the person can see, by endpoint. */
async function snapshot(ada: Browser, known: Known, workspaceId: string) {
  const seen: Record<string, string> = {};
  for (const [name, endpoint] of ALL) {
    if (!isRead(endpoint) || endpoint.access === "anyone") continue;
    if (PASSING.includes(name) || OF_OPERATOR.includes(name)) continue;
    if (OF_QUEUES.includes(name)) continue;
    const path = pathOf(endpoint, known);
    const { status, json } = await ada.send("GET", path, { workspace: "ada" });
    assert.equal(status, 200, `${name}: ${JSON.stringify(json)}`);
    const isOfWorkspace = (item: { workspaceId?: string | null; slug?: string }): boolean =>
      (item.workspaceId ?? workspaceId) === workspaceId && (item.slug ?? "ada") === "ada";
    // The audit log has an entry for each time that a connection string is read, including by this
    // test.
    const isLook = ({ action }: { action?: string }) => action === "getDatabaseConnection";
    const items = json?.items?.filter((item: { action?: string; workspaceId?: string }) =>
      isOfWorkspace(item) && !isLook(item)
    );
    seen[name] = stable(items ?? json);
  }
  return seen;
}

async function credentialsIn(
  platform: TestPlatform,
  ada: Browser,
  { workspace, workspaceId }: { readonly workspace: string; readonly workspaceId: string },
): Promise<Record<string, string>> {
  const credentials: Record<string, string> = {};
  for (const role of KEY_ROLES) {
    const json = { name: `${role} key`, role };
    const made = await ada.send("POST", "/v1/api-keys", { json, workspace });
    credentials[`a ${role}'s key`] = made.json.key;
  }
  const { json: device } = await form(platform, "/v1/device", {});
  await approve(ada, device.user_code, workspaceId);
  const { json: token } = await poll(platform, device.device_code);
  return { ...credentials, "a tool's token": token.access_token };
}

Deno.test("keys and tokens do not reach their owner's other workspaces", () =>
  withEverything(async (platform, parts) => {
    const { browser: ada, workspaceId: hers } = await signUpWithWorkspace(platform, "ada");
    const bob = await signUp(platform, "bob");
    await join(ada, bob, { workspace: "ada", role: "viewer" });
    const furnished = await furnish(platform, ada, { ...parts, workspaceId: hers });
    const { json: account } = await bob.send("GET", "/v1/account");
    const known = { ...furnished, user: account.id };
    const made = await ada.send("POST", "/v1/workspaces", {
      json: { slug: "other", name: "Other" },
    });
    const credentials = await credentialsIn(platform, ada, {
      workspace: "other",
      workspaceId: made.json.id,
    });
    const before = await snapshot(ada, known, hers);
    let tried = 0;
    for (const [who, token] of Object.entries(credentials)) {
      for (const [name, endpoint] of ALL) {
        const { access, method, responseKind } = endpoint;
        if (access === "anyone" || ENDING.includes(name) || responseKind === "events") continue;
        const path = pathOf(endpoint, known);
        const body = BODIES[name]?.(known) ?? {};
        const answer: ApiAnswer = await platform.api(method, path, {
          token,
          ...(method === "GET" || method === "DELETE" ? {} : { json: body }),
          headers: { "if-match": '"none"' },
        });
        tried++;
        const text = JSON.stringify(answer.json ?? "").replaceAll(path, "")
          .replaceAll('\\"adas-secret-shop\\"', "");
        const said = `${name} by ${who}: ${answer.status} ${text}`;
        const named = isOfSomebody(endpoint) || name === "createHook";
        if (access === "account") assert.equal(answer.status, 403, said);
        else if (named) assert.ok([403, 404].includes(answer.status), said);
        else assert.ok(answer.status < 500, said);
        assert.ok(!/adas-|bob@example/.test(text), said);
      }
    }
    assert.ok(tried > 400, String(tried));
    const after = await snapshot(ada, known, hers);
    for (const name of Object.keys(before)) assert.equal(after[name], before[name], name);
  }));

Deno.test("every endpoint refuses a key that names another workspace", () =>
  withEverything(async (platform) => {
    const { browser: ada } = await signUpWithWorkspace(platform, "ada");
    const made = await ada.send("POST", "/v1/workspaces", {
      json: { slug: "other", name: "Other" },
    });
    const credentials = await credentialsIn(platform, ada, {
      workspace: "other",
      workspaceId: made.json.id,
    });
    for (const [who, token] of Object.entries(credentials)) {
      for (const [name, endpoint] of ALL) {
        if (endpoint.access === "anyone") continue;
        const { method } = endpoint;
        const { status } = await platform.api(method, pathOf(endpoint, {}), {
          token,
          ...(method === "GET" || method === "DELETE" ? {} : { json: {} }),
          headers: { "x-workspace": "ada" },
        });
        assert.equal(status, 403, `${name} by ${who}`);
      }
    }
  }));

Deno.test("a viewer's key cannot change anything on any endpoint", () =>
  withEverything(async (platform) => {
    const { browser: ada } = await signUpWithWorkspace(platform, "ada");
    const { json: viewer } = await ada.send("POST", "/v1/api-keys", {
      json: { name: "viewer", role: "viewer" },
      workspace: "ada",
    });
    for (const [name, endpoint] of ALL) {
      const { access, method } = endpoint;
      if (access === "anyone" || method === "GET") continue;
      const { status } = await platform.api(method, pathOf(endpoint, {}), {
        token: viewer.key,
        ...(method === "DELETE" ? {} : { json: {} }),
      });
      assert.equal(status, 403, name);
    }
  }));
