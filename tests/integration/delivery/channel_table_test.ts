/**
 * Raises all 32 events through the API for one person who has every channel. Each channel must get
 * exactly the events that the specification's table lists for it.
 */
import assert from "node:assert/strict";
import {
  EVENT_NAMES,
  type EventCategory,
  type EventName,
  EVENTS,
  PRIORITIES,
  type Priority,
} from "../../../src/contract/events.ts";
import { BOT_TOKEN, serveBotApi } from "../../helpers/bot_api.ts";
import { claimOwner, prefer, raise } from "../../helpers/notifications.ts";
import { withPlatform } from "../../helpers/platform.ts";
import { servePush } from "../../helpers/push_service.ts";
import { serveSmtp } from "../../helpers/smtp_server.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { stopServer } from "../../../src/lib/stop_server.ts";

/** The table from "Notification preferences" in the specification. */
const MINIMUM: Readonly<Record<EventCategory, Priority>> = {
  Deployment: "NORMAL",
  Health: "HIGH",
  Billing: "NORMAL",
  Security: "LOW",
  System: "NORMAL",
};

const rank = (priority: Priority): number => PRIORITIES.indexOf(priority);
const passes = (event: EventName): boolean => {
  const { category, priority } = EVENTS[event];
  return priority === "CRITICAL" || rank(priority) <= rank(MINIMUM[category]);
};
const isUrgent = (event: EventName): boolean => rank(EVENTS[event].priority) <= rank("HIGH");
const sorted = (names: Iterable<string>): string[] => [...names].sort();

Deno.test("each channel gets exactly the events that the table lists for it", async () => {
  let publicKey = "";
  const hooked: string[] = [];
  await using smtp = await serveSmtp();
  await using bot = serveBotApi();
  await using push = servePush(() => publicKey);
  const hook = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      hooked.push((await request.json()).type);
      return new Response(null, { status: 204 });
    },
  );
  try {
    await withPlatform(async (platform) => {
      const owner = await claimOwner(platform);
      publicKey = (await platform.api("GET", "/v1/notifications/vapid-key")).json.publicKey;
      const url = `http://127.0.0.1:${hook.addr.port}`;
      await platform.api("POST", "/v1/webhooks", { json: { url } });
      // Events are passed on in order, so once this event arrives, all earlier ones have been
      // delivered.
      await raise(platform, "system.feature_announcement");
      await until(() => hooked, ({ length }) => length === 1);
      hooked.length = 0;

      const link = await owner.send("POST", "/v1/account/messenger/link");
      bot.write(7, `/start ${new URL(link.json.url).searchParams.get("start")}`);
      await bot.until(7, 1);
      bot.sent.length = 0;
      await owner.send("POST", "/v1/notifications/push-subscription", {
        json: push.subscribe("laptop"),
      });
      for (const category of Object.keys(MINIMUM)) {
        await prefer(owner, { category, channels: { messenger: true } });
      }
      for (const event of EVENT_NAMES) {
        const { status, json } = await raise(platform, event);
        assert.equal(status, 200, JSON.stringify(json));
      }

      const wanted = EVENT_NAMES.filter(passes);
      await until(() => hooked.length, (count) => count >= EVENT_NAMES.length);
      await until(() => push.messages.length, (count) => count >= wanted.length);
      await until(() => bot.sent.length, (count) => count >= wanted.length);
      const urgent = wanted.filter(isUrgent);
      await until(() => smtp.mails.length, (count) => count >= urgent.length);
      assert.deepEqual(sorted(hooked), sorted(EVENT_NAMES));
      assert.deepEqual(
        sorted(push.messages.map(({ payload }) => `${payload.event}`)),
        sorted(wanted),
      );
      assert.equal(bot.sent.length, wanted.length);
      const mailed = smtp.mails.map(({ headers, text }) => {
        const subject = headers.get("subject")!;
        const told = push.messages.find(({ payload: { title } }) =>
          subject === title || subject.endsWith(`: ${title}`)
        ) ?? push.messages.find(({ payload: { body } }) =>
          text.includes(`${body}`)
        );
        return `${told?.payload.event}`;
      });
      assert.deepEqual(sorted(mailed), sorted(urgent), "all other events are in the digest");
      assert.deepEqual(push.refused, []);
      assert.deepEqual((await platform.api("GET", "/v1/dead-letters")).json.items, []);
    }, {
      allowPrivateUpstreams: true,
      mail: { smtpUrl: smtp.url },
      bot: { token: BOT_TOKEN, api: bot.url },
    });
  } finally {
    await stopServer(hook);
  }
});
