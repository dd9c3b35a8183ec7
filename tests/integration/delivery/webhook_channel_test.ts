import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import { claimOwner, raise } from "../../helpers/notifications.ts";
import { start, type TestPlatform, withPlatform } from "../../helpers/platform.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { stopServer } from "../../../src/lib/stop_server.ts";

interface Received {
  readonly headers: Headers;
  readonly text: string;
}

/**
 * Starts a webhook receiver that responds with each status in a list, and then repeats the last
 * one.
 */
function receive(...statuses: number[]) {
  const received: Received[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      received.push({ headers: request.headers, text: await request.text() });
      const status = statuses.length > 1 ? statuses.shift()! : statuses[0] ?? 204;
      const headers = { location: "http://127.0.0.1:1/elsewhere" };
      return new Response(null, { status, ...(status === 302 ? { headers } : {}) });
    },
  );
  return {
    received,
    statuses,
    url: `http://127.0.0.1:${server.addr.port}/hook`,
    [Symbol.asyncDispose]: () => stopServer(server),
  };
}

/** Verifies a message as the specification requires: one of its signatures must be valid. */
function verify({ headers, text }: Received, secret: string): boolean {
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const [id, timestamp] = [headers.get("webhook-id"), headers.get("webhook-timestamp")];
  const age = Date.now() / 1000 - Number(timestamp);
  if (Math.abs(age) > 300) return false;
  const wanted = createHmac("sha256", key).update(`${id}.${timestamp}.${text}`).digest("base64");
  return headers.get("webhook-signature")!.split(" ").includes(`v1,${wanted}`);
}

const withHooks = (test: (platform: TestPlatform) => Promise<void>) => () =>
  withPlatform(test, { allowPrivateUpstreams: true });

async function create(platform: TestPlatform, json: object) {
  const answer = await platform.api("POST", "/v1/webhooks", { json });
  assert.equal(answer.status, 201, JSON.stringify(answer.json));
  return answer.json as { id: string; secret: string; url: string };
}

const log = async (platform: TestPlatform, id: string) =>
  (await platform.api("GET", `/v1/webhooks/${id}/deliveries`)).json.items;

Deno.test(
  "a webhook gets signed events, but only those to which it subscribes",
  withHooks(async (platform) => {
    await using all = receive();
    await using some = receive();
    const first = await create(platform, { url: all.url, description: "everything" });
    await create(platform, {
      url: some.url,
      events: ["deployment.live"],
      categories: ["Billing"],
    });
    assert.match(first.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    for (const event of ["deployment.started", "deployment.live", "billing.invoice_created"]) {
      await raise(platform, event, { project: "shop" });
    }
    await until(() => all.received, ({ length }) => length === 3);
    await until(() => some.received, ({ length }) => length === 2);
    for (const message of all.received) assert.ok(verify(message, first.secret));
    assert.ok(!some.received.some((message) => verify(message, first.secret)));
    const types = some.received.map(({ text }) => JSON.parse(text).type).sort();
    assert.deepEqual(types, ["billing.invoice_created", "deployment.live"]);
    const live = all.received.map(({ text }) => JSON.parse(text))
      .find(({ type }) => type === "deployment.live");
    assert.deepEqual(Object.keys(live), ["type", "timestamp", "data"]);
    assert.equal(live.data.priority, "NORMAL");
    assert.equal(live.data.details.project, "shop");
    const { json } = await platform.api("GET", "/v1/webhooks");
    assert.equal(JSON.stringify(json).includes("whsec_"), false, "the secret is shown only once");
    assert.equal((await log(platform, first.id)).length, 3);
  }),
);

Deno.test(
  "a delivery is logged, redelivered with the same ID, and signed with both secrets",
  withHooks(async (platform) => {
    await using hook = receive(500, 204);
    const { id, secret } = await create(platform, { url: hook.url });
    await raise(platform, "deployment.live", {});
    const [entry] = await until(() => log(platform, id), ({ length }) => length === 1);
    assert.equal(entry.status, "pending");
    assert.deepEqual(entry.attempts.map(({ status }: { status: number }) => status), [500]);
    assert.equal(entry.attempts[0].detail, "The receiver responded with status 500");
    const rotated = await platform.api("POST", `/v1/webhooks/${id}/rotate`);
    const path = `/v1/webhooks/${id}/deliveries/${entry.id}/redeliver`;
    assert.deepEqual((await platform.api("POST", path)).json, { accepted: true });
    await until(() => hook.received, ({ length }) => length === 2);
    const [before, after] = hook.received;
    assert.equal(after!.headers.get("webhook-id"), before!.headers.get("webhook-id"));
    assert.ok(verify(after!, secret), "the signature also verifies with the old secret");
    assert.ok(verify(after!, rotated.json.secret));
    const entries = await until(() => log(platform, id), ({ length }) => length === 2);
    assert.equal(entries[0].status, "delivered");
  }),
);

Deno.test(
  "a 410 from the receiver turns the webhook off, and an owner can turn it on again",
  withHooks(async (platform) => {
    await using hook = receive(410, 204);
    const { id } = await create(platform, { url: hook.url });
    await raise(platform, "deployment.live", {});
    const show = async () => (await platform.api("GET", `/v1/webhooks/${id}`)).json;
    const off = await until(show, ({ enabled }) => !enabled);
    assert.match(off.disabledReason, /status 410/);
    await raise(platform, "deployment.live", {});
    const { json } = await platform.api("PATCH", `/v1/webhooks/${id}`, { json: { enabled: true } });
    assert.deepEqual([json.enabled, json.disabledReason], [true, null]);
    await raise(platform, "deployment.stopped", {});
    await until(() => hook.received, ({ length }) => length === 2);
    assert.equal(JSON.parse(hook.received[1]!.text).type, "deployment.stopped");
    assert.equal((await platform.api("DELETE", `/v1/webhooks/${id}`)).status, 204);
    assert.equal((await platform.api("GET", `/v1/webhooks/${id}`)).status, 404);
  }),
);

Deno.test(
  "a test reports the receiver's response, and redirects are not followed",
  withHooks(async (platform) => {
    await using hook = receive(204, 302, 204);
    const { id, secret } = await create(platform, { url: hook.url });
    const test = async () =>
      (await platform.api("POST", `/v1/webhooks/${id}/test`, { json: {} })).json;
    assert.deepEqual([(await test()).delivered, hook.received.length], [true, 1]);
    assert.ok(verify(hook.received[0]!, secret));
    const redirected = await test();
    assert.deepEqual([redirected.delivered, redirected.status], [false, 302]);
    await hook[Symbol.asyncDispose]();
    const down = await test();
    assert.deepEqual([down.delivered, down.status], [false, null]);
    assert.match(down.detail, /Cannot connect/);
  }),
);

Deno.test("a webhook cannot have a private address unless this is allowed", async () => {
  await withPlatform(async (platform) => {
    const url = "https://hooks.example.com/x";
    const { id } = await create(platform, { url });
    for (const refused of ["http://127.0.0.1/x", "http://[::1]:8080/x", "http://a.localhost/x"]) {
      for (const [method, path] of [["POST", ""], ["PATCH", `/${id}`]] as const) {
        const json = { url: refused };
        const answer = await platform.api(method, `/v1/webhooks${path}`, { json });
        assert.equal(answer.status, 400, `${method} ${refused}`);
        assert.equal(answer.json.problems[0].path, "body.url");
      }
    }
    const { json } = await platform.api("GET", "/v1/webhooks");
    assert.deepEqual(json.items.map((webhook: { url: string }) => webhook.url), [url]);
  });
});

Deno.test("a webhook cannot reach a private address once this is no longer allowed", async () => {
  const dataDir = await Deno.makeTempDir({ prefix: "svc-test-" });
  await using hook = receive();
  try {
    const before = await start(dataDir, { allowPrivateUpstreams: true });
    const { id } = await create(before, { url: hook.url });
    await before.shutdown();
    const platform = await start(dataDir);
    try {
      await claimOwner(platform);
      await raise(platform, "deployment.live", {});
      const letters = await until(
        async () => (await platform.api("GET", "/v1/dead-letters")).json.items,
        ({ length }) => length === 1,
      );
      assert.equal(letters[0].channel, "webhook");
      assert.match(letters[0].reason, /Requests to "127\.0\.0\.1" are not allowed|Port/);
      assert.equal((await log(platform, id))[0].status, "failed");
      assert.deepEqual(hook.received, []);
    } finally {
      await platform.shutdown();
    }
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
});
