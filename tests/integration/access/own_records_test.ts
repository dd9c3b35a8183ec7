/**
 * Tests access to a person's own resources. Keys and the CLI must reach resources only in their own
 * workspace, and only until the access is revoked.
 */
import assert from "node:assert/strict";
import { Browser, signUpWithWorkspace } from "../../helpers/browser.ts";
import { approve, form, poll } from "../../helpers/device_flow.ts";
import { prefer } from "../../helpers/notifications.ts";
import { type TestPlatform, withPlatform } from "../../helpers/platform.ts";
import { servePush, type TestPushService } from "../../helpers/push_service.ts";
import { until } from "../../../src/lib/_test_until.ts";

const PUSH = "/v1/notifications/push-subscription";
const PREFERENCES = "/v1/notifications/preferences";

interface AccessBench {
  readonly platform: TestPlatform;
  readonly service: TestPushService;
  /** The owner of the workspaces `ada` and `other`. */
  readonly ada: Browser;
  readonly otherId: string;
}

async function withAda(test: (parts: AccessBench) => Promise<void>): Promise<void> {
  let publicKey = "";
  await using service = servePush(() => publicKey);
  await withPlatform(async (platform) => {
    const key = await platform.api("GET", "/v1/notifications/vapid-key", { token: null });
    publicKey = key.json.publicKey;
    const { browser: ada } = await signUpWithWorkspace(platform, "ada");
    const other = await ada.send("POST", "/v1/workspaces", {
      json: { slug: "other", name: "Other" },
    });
    await test({ platform, service, ada, otherId: other.json.id });
  }, { allowPrivateUpstreams: true });
}

async function makeKey(ada: Browser, role: string, workspace = "other") {
  const { json } = await ada.send("POST", "/v1/api-keys", {
    json: { name: role, role },
    workspace,
  });
  return json as { readonly id: string; readonly key: string };
}

async function makeToken({ platform, ada, otherId }: AccessBench): Promise<string> {
  const { json: device } = await form(platform, "/v1/device", {});
  await approve(ada, device.user_code, otherId);
  return (await poll(platform, device.device_code)).json.access_token;
}

const raiseIn = (ada: Browser, workspace: string, detail: string) =>
  ada.send("POST", "/v1/events", {
    json: { event: "billing.card_expired", data: { detail } },
    workspace,
  });

/**
 * Waits for `count` pushed messages after a critical event in a workspace. Returns the browsers
 * that received them.
 */
async function pushedTo({ service, ada }: AccessBench, workspace: string, count: number) {
  service.messages.length = 0;
  await raiseIn(ada, workspace, workspace);
  const ofEvent = () =>
    service.messages.filter(({ payload }) => payload.event === "billing.card_expired");
  const messages = await until(ofEvent, ({ length }) => length === count);
  return messages.map(({ subscription }) => subscription).sort();
}

Deno.test("a browser subscribed with a key gets its workspace's notifications until the key is revoked", () =>
  withAda(async (parts) => {
    const { platform, service, ada } = parts;
    const key = await makeKey(ada, "developer");
    const token = await makeToken(parts);
    const subscribe = (name: string, token: string) =>
      platform.api("POST", PUSH, { token, json: service.subscribe(name) });
    assert.equal((await subscribe("by-key", key.key)).status, 201);
    assert.equal((await subscribe("by-tool", token)).status, 201);
    const laptop = service.subscribe("by-ada");
    assert.equal((await ada.send("POST", PUSH, { json: laptop })).status, 201);
    const names = async (token: string) =>
      (await platform.api("GET", PUSH, { token })).json.items.length;
    assert.deepEqual([await names(key.key), await names(token)], [2, 2]);
    assert.equal((await ada.send("GET", PUSH)).json.items.length, 3);

    assert.deepEqual(await pushedTo(parts, "ada", 1), ["by-ada"]);
    assert.deepEqual(await pushedTo(parts, "other", 3), ["by-ada", "by-key", "by-tool"]);

    const stolen = await platform.api("POST", PUSH, { token: key.key, json: laptop });
    assert.equal(stolen.status, 409, "a key cannot take over its owner's browser");

    await ada.send("DELETE", `/v1/api-keys/${key.id}`, { workspace: "other" });
    assert.deepEqual(await pushedTo(parts, "other", 2), ["by-ada", "by-tool"]);
    await platform.api("POST", "/v1/sign-out", { token });
    assert.deepEqual(await pushedTo(parts, "other", 1), ["by-ada"]);
    assert.equal((await ada.send("GET", PUSH)).json.items.length, 1);
  }));

Deno.test("a browser gets no notifications after another browser has ended its session", () =>
  withAda(async (parts) => {
    const { platform, service, ada } = parts;
    const stolen = new Browser(platform);
    await stolen.signIn("ada@example.com");
    const { json: made } = await stolen.send("POST", PUSH, { json: service.subscribe("stolen") });
    await ada.send("POST", PUSH, { json: service.subscribe("own") });
    // The session that is not the current one belongs to another browser.
    const { items } = (await ada.send("GET", "/v1/account/sessions")).json;
    const session = items.find(({ current }: { current: boolean }) => !current);
    await ada.send("DELETE", `/v1/account/sessions/${session.id}`);
    assert.deepEqual(await pushedTo(parts, "ada", 1), ["own"]);
    assert.equal((await ada.send("DELETE", `${PUSH}/${made.id}`)).status, 404);
  }));

Deno.test("a key's subscriptions do not count toward the limit for its owner's browsers", () =>
  withAda(async ({ platform, service, ada }) => {
    const key = await makeKey(ada, "developer");
    const { json: laptop } = await ada.send("POST", PUSH, { json: service.subscribe("laptop") });
    for (let count = 0; count < 25; count++) {
      const json = service.subscribe(`machine-${count}`);
      const { status } = await platform.api("POST", PUSH, { token: key.key, json });
      assert.equal(status, 201);
    }
    const { items } = (await ada.send("GET", `${PUSH}?limit=100`)).json;
    assert.equal(items.length, 21);
    assert.ok(items.some(({ id }: { id: string }) => id === laptop.id));
  }));

Deno.test("preferences set with a key or the CLI apply in one workspace, and a person's own apply in all", () =>
  withAda(async (parts) => {
    const { platform, ada } = parts;
    const key = await makeKey(ada, "developer");
    const elsewhere = await makeKey(ada, "owner", "ada");
    const deployment = async (token: string | null) => {
      const { json } = token === null
        ? await ada.send("GET", PREFERENCES)
        : await platform.api("GET", PREFERENCES, { token });
      return json.categories[0];
    };
    const category = "Deployment";
    const put = await platform.api("PUT", `${PREFERENCES}/category`, {
      token: key.key,
      json: { category, minimumPriority: "CRITICAL", channels: { email: false } },
    });
    assert.equal(put.json.categories[0].minimumPriority, "CRITICAL");
    assert.equal((await deployment(key.key)).channels.email, false);
    assert.equal((await deployment(await makeToken(parts))).minimumPriority, "CRITICAL");
    for (const token of [null, elsewhere.key]) {
      const { minimumPriority, channels } = await deployment(token);
      assert.deepEqual([minimumPriority, channels.email], ["NORMAL", true]);
    }
    // A change by the person applies everywhere and changes nothing else.
    await prefer(ada, { category, minimumPriority: "LOW" });
    const { minimumPriority, channels } = await deployment(key.key);
    assert.deepEqual([minimumPriority, channels.email], ["LOW", false]);
    assert.equal((await deployment(elsewhere.key)).minimumPriority, "LOW");

    const raised = async (workspace: string) => {
      await ada.send("POST", "/v1/events", {
        json: { event: "deployment.live", data: {} },
        workspace,
      });
      const { json } = await ada.send("GET", "/v1/notifications?category=Deployment");
      return json.total;
    };
    await platform.api("PUT", `${PREFERENCES}/channel`, {
      token: key.key,
      json: { channel: "in_app", enabled: false },
    });
    assert.equal(await raised("other"), 0);
    assert.equal(await raised("ada"), 1);
  }));

Deno.test("a key can neither resend nor delete another workspace's dead letters", async () => {
  await using gone = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response(null, { status: 400 }),
  );
  await withAda(async ({ platform, service, ada }) => {
    const key = await makeKey(ada, "owner");
    const { endpoint, keys } = service.subscribe("laptop");
    const broken = { keys, endpoint: endpoint.replace(/:\d+/, `:${gone.addr.port}`) };
    await ada.send("POST", PUSH, { json: broken });
    const ofCards = ({ event }: { event: string }) => event === "billing.card_expired";
    const letters = async () =>
      (await ada.send("GET", "/v1/notifications/dead-letters")).json.items.filter(ofCards);
    await raiseIn(ada, "ada", "one");
    const [letter] = await until(letters, ({ length }) => length === 1);
    await raiseIn(ada, "other", "two");
    await until(letters, ({ length }) => length === 2);
    const path = "/v1/notifications/dead-letters";
    const call = (method: string, path: string) => platform.api(method, path, { token: key.key });
    const seen = (await call("GET", path)).json.items.filter(ofCards);
    assert.equal(seen.length, 1);
    assert.notEqual(seen[0].id, letter.id);
    assert.equal((await call("POST", `${path}/${letter.id}/resend`)).status, 404);
    assert.equal((await call("DELETE", `${path}/${letter.id}`)).status, 404);
    await call("POST", `${path}/resend-all`);
    assert.ok((await letters()).some(({ id }: { id: string }) => id === letter.id));
    assert.equal((await ada.send("DELETE", `${path}/${letter.id}`)).status, 204);
  });
});
