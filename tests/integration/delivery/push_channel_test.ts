import assert from "node:assert/strict";
import { type Browser, signUp } from "../../helpers/browser.ts";
import { claimOwner, prefer, raise } from "../../helpers/notifications.ts";
import { type TestPlatform, withPlatform } from "../../helpers/platform.ts";
import { servePush, type TestPushService } from "../../helpers/push_service.ts";
import { until } from "../../../src/lib/_test_until.ts";

const PATH = "/v1/notifications/push-subscription";

function withPush(
  test: (platform: TestPlatform, service: TestPushService) => Promise<void>,
): () => Promise<void> {
  return async () => {
    let publicKey = "";
    await using service = servePush(() => publicKey);
    await withPlatform(async (platform) => {
      const key = await platform.api("GET", "/v1/notifications/vapid-key", { token: null });
      publicKey = key.json.publicKey;
      assert.match(publicKey, /^[\w-]{87}$/);
      await test(platform, service);
      assert.deepEqual(service.refused, []);
    }, { allowPrivateUpstreams: true });
  };
}

/**
 * Returns the pushed messages. Omits the notification about the owner's own sign-in, which may or
 * may not reach a browser.
 */
const messagesOf = ({ messages }: TestPushService) =>
  messages.filter(({ payload }) => payload.event !== "security.new_login");

const subscribe = (browser: Browser, json: object) => browser.send("POST", PATH, { json });
const list = async (browser: Browser) => (await browser.send("GET", PATH)).json.items;

Deno.test(
  "a subscribed browser gets what the preferences allow, encrypted and signed",
  withPush(async (platform, service) => {
    const owner = await claimOwner(platform);
    const made = await subscribe(owner, service.subscribe("laptop"));
    assert.equal(made.status, 201, JSON.stringify(made.json));
    assert.equal(made.json.name, "Firefox on Linux");
    await prefer(owner, { category: "Health", channels: { push: true } });
    await prefer(owner, { category: "Deployment", channels: { push: false } });
    await raise(platform, "health.recovered", {});
    await raise(platform, "deployment.live", {});
    await raise(platform, "health.check_failed", { reason: "no answer" });
    await raise(platform, "deployment.failed", { project: "shop", error: "x".repeat(2000) });
    const messages = await until(() => messagesOf(service), ({ length }) => length === 2);
    const [health, failed] = messages.toSorted((a, b) => a.ttl - b.ttl);
    assert.deepEqual([health!.urgency, health!.ttl], ["high", 24 * 3600]);
    assert.deepEqual([failed!.urgency, failed!.ttl], ["high", 72 * 3600]);
    assert.equal(failed!.payload.event, "deployment.failed");
    assert.match(String(failed!.payload.title), /shop/);
    assert.match(failed!.topic!, /^[0-9a-f]{32}$/);
    assert.equal(failed!.subject, "mailto:svc@localhost");
    assert.notEqual((await list(owner))[0].lastDeliveredAt, null);
  }),
);

Deno.test(
  "subscribing a browser again keeps its subscription but changes its owner",
  withPush(async (platform, service) => {
    const owner = await claimOwner(platform);
    const laptop = service.subscribe("laptop");
    const first = await subscribe(owner, laptop);
    const again = await subscribe(owner, { ...laptop, expirationTime: null });
    assert.equal(again.json.id, first.json.id);
    const eve = await signUp(platform, "eve");
    assert.equal((await subscribe(eve, laptop)).status, 201);
    assert.deepEqual(await list(owner), []);
    assert.equal((await list(eve)).length, 1);
    const [{ id }] = await list(eve);
    assert.equal((await owner.send("DELETE", `${PATH}/${id}`)).status, 404);
    assert.equal((await eve.send("DELETE", `${PATH}/${id}`)).status, 204);
    assert.deepEqual(await list(eve), []);
  }),
);

for (const status of [404, 410]) {
  Deno.test(
    `a push service's ${status} removes only that subscription`,
    withPush(async (platform, service) => {
      const owner = await claimOwner(platform);
      await subscribe(owner, service.subscribe("old"));
      await subscribe(owner, service.subscribe("new"));
      service.answers.set("old", { status });
      await raise(platform, "deployment.failed", {});
      await until(() => list(owner), ({ length }) => length === 1);
      await until(() => messagesOf(service), ({ length }) => length === 1);
      assert.equal(messagesOf(service)[0]!.subscription, "new");
      const { json } = await owner.send("GET", "/v1/notifications/dead-letters");
      assert.deepEqual(json.items, []);
    }),
  );
}

Deno.test(
  "invalid subscriptions are refused, and every problem is reported",
  withPush(async (platform, service) => {
    const owner = await claimOwner(platform);
    const { endpoint, keys } = service.subscribe("x");
    const rows: readonly [string, object, RegExp][] = [
      ["no URL", { endpoint: "push", keys }, /body\.endpoint/],
      ["another scheme", { endpoint: "ftp://example.com/x", keys }, /body\.endpoint/],
      ["a short key", { endpoint, keys: { ...keys, p256dh: "AAAA" } }, /body\.keys\.p256dh/],
      [
        "not a point on the curve",
        { endpoint, keys: { ...keys, p256dh: "B".repeat(87) } },
        /body\.keys\.p256dh/,
      ],
      ["no auth", { endpoint, keys: { p256dh: keys.p256dh } }, /body\.keys\.auth/],
    ];
    for (const [name, json, problem] of rows) {
      const answer = await subscribe(owner, json);
      assert.equal(answer.status, 400, name);
      assert.match(answer.json.error, problem, name);
    }
  }),
);

Deno.test("a subscription cannot reach a private address unless this is allowed", async () => {
  await using service = servePush(() => "");
  await withPlatform(async (platform) => {
    const owner = await claimOwner(platform);
    await subscribe(owner, service.subscribe("inside"));
    const { json } = await owner.send("POST", "/v1/notifications/test", {
      json: { channel: "push" },
    });
    assert.equal(json.delivered, false);
    assert.match(json.results[0].detail, /not allowed/);
    assert.deepEqual([service.messages.length, service.refused.length], [0, 0]);
  });
});

Deno.test("the channels page loads only the worker, its own script, and the shared script", () =>
  withPlatform(async (platform) => {
    const owner = await claimOwner(platform);
    const base = `http://127.0.0.1:${platform.port}`;
    const page = await fetch(`${base}/account/channels`, { headers: { cookie: owner.cookie } });
    const policy = page.headers.get("content-security-policy")!;
    assert.match(policy, /script-src 'self'; worker-src 'self'; connect-src 'self'/);
    const html = await page.text();
    const scripts = [...html.matchAll(/<script src="([^"]+)" defer=""><\/script>/g)]
      .map(([, path]) => path!);
    assert.deepEqual(
      scripts.map((path) => /^\/assets\/(\w+)-\w+\.js$/.exec(path)?.[1]).toSorted(),
      ["board", "push"],
    );
    for (const path of [...scripts, "/push-worker.js"]) {
      const answer = await fetch(`${base}${path}`);
      assert.equal(answer.headers.get("content-type"), "text/javascript; charset=utf-8");
      new Function(await answer.text());
    }
    assert.equal(html.match(/<script/g)!.length, scripts.length);
  }));
