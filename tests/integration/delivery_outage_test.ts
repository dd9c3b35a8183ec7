/**
 * Every channel over its real protocol, with a clock that the test sets: each
 * fails for a while, and nothing is lost or doubled.
 */
import assert from "node:assert/strict";
import { systemRandom } from "../../src/lib/clock.ts";
import { AccountStore } from "../../src/platform/accounts/account_store.ts";
import { createMailer } from "../../src/platform/notifications/channels/email/mailer.ts";
import { createDelivery } from "../../src/platform/notifications/create_delivery.ts";
import type {
  DeliveryRequest,
  OutwardChannel,
} from "../../src/platform/notifications/delivery/types.ts";
import { openKeyRing } from "../../src/platform/secrets/key_ring.ts";
import { SecretBox } from "../../src/platform/secrets/secret_box.ts";
import { keys } from "../../src/platform/store/keys.ts";
import { createOutboundFetch } from "../../src/runtime/mod.ts";
import { BOT_TOKEN, serveBotApi } from "./_bot_api.ts";
import { servePush } from "./_push_service.ts";
import { serveSmtp } from "./_smtp.ts";

const START = Date.UTC(2026, 0, 1, 12);
const USER = "01900000-0000-7000-8000-00000000000a";
const WORKSPACE = "01900000-0000-7000-8000-00000000000b";
const EVENTS = 25;
const CHANNELS: readonly OutwardChannel[] = ["email", "messenger", "push", "webhook"];

const requests = (prefix: string): DeliveryRequest[] =>
  CHANNELS.flatMap((channel) =>
    Array.from({ length: EVENTS }, (_, index) => ({
      key: `${prefix} ${index}:${channel}`,
      channel,
      userId: channel === "webhook" ? null : USER,
      content: {
        id: crypto.randomUUID(),
        event: "deployment.failed" as const,
        category: "Deployment" as const,
        priority: "CRITICAL" as const,
        title: `${prefix} ${index}`,
        body: "It failed",
        actionUrl: "https://svc.example/",
        createdAt: START,
        workspaceId: WORKSPACE,
        data: {},
      },
    }))
  );

/** A receiver of webhooks that keeps the titles, and fails as it is told. */
function receiveWebhooks(answer: () => number) {
  const titles: string[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const status = answer();
      const { data } = await request.json();
      if (status === 204) titles.push(data.title);
      return new Response(null, { status });
    },
  );
  const url = `http://127.0.0.1:${server.addr.port}`;
  return { titles, url, [Symbol.asyncDispose]: () => server.shutdown() };
}

async function withDelivery(
  settings: { readonly smtpUrl: string; readonly botApi: string },
  test: (
    parts: ReturnType<typeof createDelivery> & { readonly clock: { at: number } },
  ) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "svc-outage-" });
  const kv = await Deno.openKv(`${folder}/kv.sqlite3`);
  const clock = { at: START };
  const outbound = createOutboundFetch({ allowPrivate: true });
  const mailer = createMailer({ smtpUrl: settings.smtpUrl, from: "svc@svc.example" });
  const user = { id: USER, name: "Ada", email: "ada@example.com", createdAt: START };
  await kv.set(keys.user(USER), { ...user, signUpMethod: "email" });
  const delivery = createDelivery({
    kv,
    box: new SecretBox(await openKeyRing(`${folder}/keys.json`, systemRandom), systemRandom),
    accounts: new AccountStore(kv),
    outbound: outbound.fetch,
    publicOrigin: "https://svc.example",
    mailer,
    bot: { token: BOT_TOKEN, api: settings.botApi },
    dialogues: [],
    now: () => clock.at,
    random: systemRandom,
    onTrouble: (message) => assert.fail(message),
  });
  try {
    await test({ ...delivery, clock });
  } finally {
    await delivery.closeDelivery();
    outbound.close();
    kv.close();
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("each channel fails for half an hour: nothing is lost, nothing comes twice", async () => {
  let isDown = true;
  let publicKey = "";
  await using smtp = await serveSmtp({ refuse: () => isDown ? "451 Try later" : undefined });
  await using bot = serveBotApi();
  await using push = servePush(() => publicKey);
  await using hooks = receiveWebhooks(() => isDown ? 503 : 204);
  await withDelivery({ smtpUrl: smtp.url, botApi: bot.url }, async (delivery) => {
    const { clock, deliveryQueue } = delivery;
    publicKey = (await delivery.vapidKeys()).publicKey;
    const { endpoint, keys: browser } = push.subscribe("laptop");
    await delivery.pushSubscriptions.put({
      ...{ id: crypto.randomUUID(), userId: USER, endpoint, name: "Firefox" },
      ...{ ...browser, createdAt: START, lastDeliveredAt: null },
    });
    await delivery.messengerLinks.link({
      ...{ id: crypto.randomUUID(), userId: USER, chatId: 7, name: "Ada", username: null },
      ...{ status: "active", createdAt: START },
    });
    await delivery.webhooks.create(WORKSPACE, {
      ...{ url: hooks.url, description: "", events: [], categories: [] },
    });
    push.answers.set("laptop", { status: 503 });
    bot.tooMany.push(...Array.from({ length: 40 }, () => 5));

    await deliveryQueue.accept(requests("early"));
    for (let minute = 0; minute < 30; minute++) {
      await deliveryQueue.drain();
      clock.at += 60_000;
    }
    assert.equal(smtp.mails.length + push.messages.length + hooks.titles.length, 0);
    isDown = false;
    push.answers.clear();
    await deliveryQueue.accept(requests("late"));
    for (let minute = 0; minute < 6 * 60; minute++) {
      await deliveryQueue.drain();
      clock.at += 60_000;
    }

    const wanted = ["early", "late"].flatMap((prefix) =>
      Array.from({ length: EVENTS }, (_, index) => `${prefix} ${index}`)
    ).sort();
    const titles = {
      email: smtp.mails.map(({ headers }) => headers.get("subject")!),
      messenger: bot.sent.map(({ text }) => /^<b>(.*)<\/b>/.exec(text)![1]!),
      push: push.messages.map(({ payload }) => String(payload.title)),
      webhook: hooks.titles,
    };
    for (const [channel, seen] of Object.entries(titles)) {
      assert.deepEqual([...seen].sort(), wanted, channel);
    }
    const letters = await delivery.deadLetters.list({ type: "user", id: USER }, { limit: 100 });
    assert.deepEqual(letters.items, []);
  });
});
