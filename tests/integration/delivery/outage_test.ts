/**
 * Uses every channel with its real protocol, and a clock that the test sets. Each channel fails for
 * a while, but no message may be lost or duplicated.
 */
import assert from "node:assert/strict";
import {
  OWN,
  requests,
  START,
  USER,
  withDelivery,
  WORKSPACE,
} from "../../../src/platform/notifications/_test_services.ts";
import { BOT_TOKEN, serveBotApi } from "../../helpers/bot_api.ts";
import { servePush } from "../../helpers/push_service.ts";
import { serveSmtp } from "../../helpers/smtp_server.ts";
import { stopServer } from "../../../src/lib/stop_server.ts";

const EVENTS = 25;

/** Starts a webhook receiver that records the titles and fails on demand. */
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
  return { titles, url, [Symbol.asyncDispose]: () => stopServer(server) };
}

Deno.test("nothing is lost or delivered twice when each channel fails for half an hour", async () => {
  let isDown = true;
  let publicKey = "";
  await using smtp = await serveSmtp({ refuse: () => isDown ? "451 Try later" : undefined });
  await using bot = serveBotApi();
  await using push = servePush(() => publicKey);
  await using hooks = receiveWebhooks(() => isDown ? 503 : 204);
  await withDelivery(
    { smtpUrl: smtp.url, bot: { token: BOT_TOKEN, api: bot.url } },
    async (delivery) => {
      const { clock, deliveryQueue } = delivery;
      publicKey = (await delivery.vapidKeys()).publicKey;
      const { endpoint, keys: browser } = push.subscribe("laptop");
      await delivery.pushSubscriptions.put(OWN, {
        id: crypto.randomUUID(),
        endpoint,
        name: "Firefox",
        ...browser,
        createdAt: START,
      });
      await delivery.messengerLinks.link({
        id: crypto.randomUUID(),
        userId: USER,
        chatId: 7,
        name: "Ada",
        username: null,
        status: "active",
        createdAt: START,
      });
      await delivery.webhooks.create(WORKSPACE, {
        url: hooks.url,
        description: "",
        events: [],
        categories: [],
      });
      push.answers.set("laptop", { status: 503 });
      bot.tooMany.push(...Array.from({ length: 40 }, () => 5));

      await deliveryQueue.accept(requests("early", EVENTS));
      for (let minute = 0; minute < 30; minute++) {
        await deliveryQueue.drain();
        clock.at += 60_000;
      }
      assert.equal(smtp.mails.length + push.messages.length + hooks.titles.length, 0);
      isDown = false;
      push.answers.clear();
      await deliveryQueue.accept(requests("late", EVENTS));
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
      const letters = await delivery.deadLetters.list(
        { type: "user", id: USER, workspaceId: null },
        { limit: 100 },
      );
      assert.deepEqual(letters.items, []);
    },
  );
});
