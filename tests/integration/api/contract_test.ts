/**
 * Tests the rows of the HTTP API specification with literal values. Rows that need more than one
 * request have their own tests:
 *
 * - Triggers and their scopes: `hooks/hooks_test.ts`
 * - 409 for a parallel deployment: `hooks/concurrency_test.ts`
 * - Approval, expiry and 10 sign-ins per minute: `accounts/device_flow_test.ts`
 * - 5,000 requests per hour: `accounts/accounts_test.ts`
 * - Defaults of a messenger sign-up: `accounts/messenger_sign_in_test.ts`
 * - Channels and quiet hours: `delivery/channel_table_test.ts`
 * - The live stream: `notifications/stream_test.ts`
 */
import assert from "node:assert/strict";
import { Browser } from "../../helpers/browser.ts";
import { form, poll } from "../../helpers/device_flow.ts";
import { withHooks } from "../../helpers/deploy_hooks.ts";
import { claimOwner, raise } from "../../helpers/notifications.ts";
import { withPlatform } from "../../helpers/platform.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const NOBODY = "01900000-0000-7000-8000-000000000000";

/** Spec: "Events". */
const EVENT_ROWS: readonly (readonly [name: string, priority: string])[] = [
  ["deployment.started", "LOW"],
  ["deployment.building", "LOW"],
  ["deployment.build_success", "LOW"],
  ["deployment.build_failed", "CRITICAL"],
  ["deployment.live", "NORMAL"],
  ["deployment.failed", "CRITICAL"],
  ["deployment.stopped", "NORMAL"],
  ["deployment.rolled_back", "NORMAL"],
  ["health.check_failed", "HIGH"],
  ["health.recovered", "NORMAL"],
  ["billing.payment_succeeded", "NORMAL"],
  ["billing.payment_failed", "CRITICAL"],
  ["billing.invoice_created", "LOW"],
  ["billing.invoice_paid", "NORMAL"],
  ["billing.invoice_overdue", "HIGH"],
  ["billing.trial_ending_soon", "HIGH"],
  ["billing.trial_ended", "HIGH"],
  ["billing.limit_approaching", "NORMAL"],
  ["billing.limit_exceeded", "HIGH"],
  ["billing.subscription_cancelled", "NORMAL"],
  ["billing.subscription_suspended", "CRITICAL"],
  ["billing.card_expiring_soon", "HIGH"],
  ["billing.card_expired", "CRITICAL"],
  ["security.new_login", "NORMAL"],
  ["security.suspicious_activity", "CRITICAL"],
  ["security.api_key_created", "NORMAL"],
  ["security.api_key_revoked", "HIGH"],
  ["security.password_changed", "CRITICAL"],
  ["security.two_factor_enabled", "NORMAL"],
  ["security.two_factor_enrollment_started", "NORMAL"],
  ["system.maintenance_scheduled", "NORMAL"],
  ["system.feature_announcement", "LOW"],
];

/** The defaults for a sign-up by email, from "Notification preferences" in the specification. */
const DEFAULTS: readonly (readonly [category: string, minimum: string])[] = [
  ["Deployment", "NORMAL"],
  ["Health", "HIGH"],
  ["Billing", "NORMAL"],
  ["Security", "LOW"],
  ["System", "NORMAL"],
];

Deno.test("events and new accounts have the values that the tables specify", () =>
  withPlatform(async (platform) => {
    for (const [event, priority] of EVENT_ROWS) {
      const [prefix = ""] = event.split(".");
      const category = prefix[0]!.toUpperCase() + prefix.slice(1);
      const { status, json: { id, ...rest } } = await raise(platform, event);
      assert.equal(status, 200, event);
      assert.match(id, UUID);
      assert.deepEqual(rest, { event, category, priority });
    }
    const owner = await claimOwner(platform);
    const { json } = await owner.send("GET", "/v1/notifications/preferences");
    assert.deepEqual(
      json.categories,
      DEFAULTS.map(([category, minimumPriority]) => ({
        category,
        minimumPriority,
        quietHours: null,
        channels: { email: true, in_app: true, messenger: false, push: false },
      })),
    );
  }));

Deno.test("notifications change state as the tables of endpoints and filters specify", () =>
  withPlatform(async (platform) => {
    const owner = await claimOwner(platform);
    const at = "/v1/notifications";
    const send = async (method: string, path: string, json?: unknown, wanted = 200) => {
      const answer = await owner.send(method, `${at}${path}`, json === undefined ? {} : { json });
      assert.equal(answer.status, wanted, `${method} ${path}: ${JSON.stringify(answer.json)}`);
      return answer.json;
    };
    const list = async (query = ""): Promise<readonly { id: string; read: boolean }[]> =>
      (await send("GET", query)).items;
    const hasUnread = async () => await send("GET", "/has-unread");

    await send("POST", "/archive-all");
    await send("DELETE", "/delete-all-archived");
    assert.deepEqual(await list(), []);
    assert.deepEqual(await hasUnread(), { hasUnread: false });
    for (const event of ["deployment.live", "health.check_failed", "billing.payment_failed"]) {
      assert.equal((await raise(platform, event)).status, 200);
    }
    assert.deepEqual(await hasUnread(), { hasUnread: true });
    const all = await list();
    assert.equal(all.length, 3);
    for (
      const [query, count] of [
        ["?archived=false", 3],
        ["?archived=true", 0],
        ["?unreadOnly=true", 3],
        ["?category=Health", 1],
        ["?priority=CRITICAL", 1],
        ["?priority=HIGH", 1],
        ["?limit=2", 2],
        ["?limit=2&offset=2", 1],
        ["?category=Billing&priority=LOW", 0],
      ] as const
    ) {
      assert.equal((await list(query)).length, count, query);
    }
    await send("GET", "?priority=URGENT", undefined, 400);
    await send("GET", "?category=deployment", undefined, 400);

    const [first, second, third] = all.map(({ id }) => id);
    assert.equal((await send("POST", `/${first}/read`)).read, true);
    assert.equal((await list("?unreadOnly=true")).length, 2);
    assert.equal((await send("POST", `/${first}/archive`)).archived, true);
    assert.equal((await send("POST", `/${second}/archive`)).archived, true);
    assert.deepEqual((await list()).map(({ id }) => id), [third]);
    assert.equal((await list("?archived=true")).length, 2);
    await send("DELETE", `/${first}`, undefined, 204);
    await send("POST", "/archive-all");
    assert.deepEqual(await list(), []);
    assert.equal((await list("?archived=true")).length, 2);
    await send("DELETE", "/delete-all-archived");
    assert.deepEqual(await list("?archived=true"), []);
    assert.equal((await send("GET", "/inbox-count")).total, 0);
    await send("POST", `/${first}/read`, undefined, 404);
    await send("PUT", "/preferences/channel", { channel: "email", enabled: false });
    await send("PUT", "/preferences/category", { category: "Billing", minimumPriority: "HIGH" });
    assert.equal(typeof (await send("GET", "/vapid-key")).publicKey, "string");
    assert.deepEqual((await send("GET", "/push-subscription")).items, []);
    await send("POST", "/push-subscription", {}, 400);
    await send("DELETE", `/push-subscription/${NOBODY}`, undefined, 404);
  }));

Deno.test("triggers accept the fields in their table, and refuse others with its messages", () =>
  withHooks(async (platform) => {
    const { api, hook, trigger, repository } = platform;
    const { url, id } = await hook({ scope: "Production" });
    assert.match(url, /\/v1\/hooks\/[0-9a-f]{64}$/);
    const commitSha = (await repository.git("rev-parse", "main")).trim();
    const body = { commitSha, branch: "main" };
    const rows: readonly (readonly [name: string, body: object, status: number])[] = [
      ["no commit", { branch: "main" }, 400],
      ["no branch", { commitSha }, 400],
      ["a commit that is a word", { ...body, commitSha: "latest" }, 400],
      ["six digits", { ...body, commitSha: commitSha.slice(0, 6) }, 400],
      ["41 digits", { ...body, commitSha: `${commitSha}a` }, 400],
      ["a message of 501 characters", { ...body, message: "m".repeat(501) }, 400],
      ["an author of 201 characters", { ...body, author: "a".repeat(201) }, 400],
      ["force as text", { ...body, force: "yes" }, 400],
    ];
    for (const [name, json, status] of rows) {
      assert.equal((await trigger(url, json)).status, status, name);
    }
    const { status, json } = await trigger(url, {
      branch: "main",
      commitSha: commitSha.slice(0, 7),
      force: true,
      message: "m".repeat(500),
      author: "a".repeat(200),
    });
    assert.equal(status, 200, JSON.stringify(json));
    assert.match(json.id, UUID);
    assert.deepEqual([json.status, json.isPreview, json.commitSha], ["PENDING", false, commitSha]);
    assert.equal(typeof json.url, "string");
    assert.deepEqual(Object.keys(json.urls).sort(), ["branch", "production", "unique"]);
    assert.equal(typeof json.message, "string");

    const scoped = await trigger(url, { ...body, branch: "other" });
    assert.equal(
      scoped.json.error,
      "Hook is scoped to PRODUCTION, but branch 'other' is not production branch",
    );
    const all = await hook({ name: "all", scope: "All" });
    const absent = await trigger(all.url, { ...body, branch: "absent" });
    assert.deepEqual([absent.status, absent.json.error], [404, "Branch not found"]);
    const unknown = await trigger(url.replace(/[0-9a-f]{64}$/, "0".repeat(64)), body);
    assert.deepEqual([unknown.status, unknown.json.error], [401, "Invalid token"]);

    const { json: renewed } = await api("POST", `/v1/deploy-hooks/${id}/regenerate`);
    assert.notEqual(renewed.url, url);
    assert.equal((await trigger(url, body)).json.error, "Invalid token");
    assert.equal((await api("GET", `/v1/deploy-hooks/${id}`)).json.triggeredCount, 1);
    assert.equal((await api("GET", "/v1/deploy-hooks", { token: null })).status, 401);
    const owner = await claimOwner(platform);
    const without = await owner.send("GET", "/v1/deploy-hooks");
    assert.deepEqual([without.status, without.json.error], [400, "X-Workspace header is required"]);
    assert.equal((await owner.send("GET", "/v1/deploy-hooks?workspace=default")).status, 200);
    assert.equal((await api("DELETE", `/v1/deploy-hooks/${id}`)).status, 204);
    assert.equal((await trigger(renewed.url, body)).json.error, "Invalid token");
  }));

Deno.test("the device flow has the fields, errors and times in its tables", () =>
  withPlatform(async (platform) => {
    const { status, json } = await form(platform, "/v1/device", {});
    assert.equal(status, 200);
    assert.deepEqual([json.expires_in, json.interval], [300, 5]);
    assert.equal(new URL(json.verification_uri_complete).searchParams.get("code"), json.user_code);
    assert.ok(json.verification_uri_complete.startsWith(json.verification_uri));
    const errors = async (code: string) => {
      const answer = await poll(platform, code);
      return [answer.status, answer.json.error];
    };
    assert.deepEqual(await errors(json.device_code), [400, "authorization_pending"]);
    assert.deepEqual(await errors(json.device_code), [400, "slow_down"]);
    assert.deepEqual(await errors("unknown"), [400, "invalid_grant"]);
    const stranger = new Browser(platform);
    assert.equal((await stranger.send("GET", "/v1/notifications")).status, 401);
  }));
