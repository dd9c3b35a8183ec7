/**
 * Tests quiet hours and preferences at the time of sending, over real SMTP, with a clock that the
 * test sets. Both can stop a message that was already accepted.
 */
import assert from "node:assert/strict";
import type { Priority } from "../../../src/contract/events.ts";
import {
  OWN,
  requests,
  USER,
  withDelivery,
  WORKSPACE,
} from "../../../src/platform/notifications/_test_services.ts";
import { BOT_TOKEN, serveBotApi } from "../../helpers/bot_api.ts";
import { serveSmtp, type TestSmtp } from "../../helpers/smtp_server.ts";

const at = (time: string) => Date.parse(`2026-01-01T${time}Z`);
const NIGHT = { start: "22:00", end: "06:00" };
const category = "Deployment";

type Delivery = Parameters<Parameters<typeof withDelivery>[1]>[0];

async function withMail(
  test: (delivery: Delivery, smtp: TestSmtp, outage: { is: boolean }) => Promise<void>,
): Promise<void> {
  const outage = { is: false };
  await using smtp = await serveSmtp({ refuse: () => outage.is ? "451 Try later" : undefined });
  await using bot = serveBotApi();
  await withDelivery(
    { smtpUrl: smtp.url, bot: { token: BOT_TOKEN, api: bot.url } },
    (delivery) => test(delivery, smtp, outage),
  );
}

/** Accepts an email with a priority, as the fan-out does if the recipient wants the message. */
async function accept({ deliveryQueue }: Delivery, priority: Priority, name: string) {
  const [mail] = requests(name, 1);
  await deliveryQueue.accept([{ ...mail!, content: { ...mail!.content, priority } }]);
}

const quiet = ({ preferences }: Delivery) =>
  preferences.setCategory(OWN, { category, quietHours: NIGHT });

for (
  const [name, sentAt, mails] of [
    ["is not emailed if quiet hours start before it is due", "22:00:10", 0],
    ["is emailed before quiet hours start", "21:59:59", 1],
  ] as const
) {
  Deno.test(`a digest ${name}`, () =>
    withMail(async (delivery, smtp) => {
      await quiet(delivery);
      delivery.clock.at = at("21:58:59");
      await accept(delivery, "NORMAL", "waits");
      delivery.clock.at = at(sentAt);
      await delivery.deliveryQueue.drain();
      assert.equal(smtp.mails.length, mails);
      assert.deepEqual((await delivery.deadLetters.list(ALL_OF_USER, { limit: 9 })).items, []);
    }));
}

const ALL_OF_USER = { type: "user", id: USER, workspaceId: null } as const;

for (
  const [priority, mails] of [["HIGH", 0], ["CRITICAL", 1]] as const
) {
  Deno.test(`a ${priority} email that an outage delays until the night is sent ${mails} times`, () =>
    withMail(async (delivery, smtp, outage) => {
      await quiet(delivery);
      delivery.clock.at = at("21:50:00");
      outage.is = true;
      await accept(delivery, priority, "late");
      await delivery.deliveryQueue.drain();
      outage.is = false;
      delivery.clock.at = at("22:30:00");
      await delivery.deliveryQueue.drain();
      delivery.clock.at = at("22:31:00");
      await delivery.deliveryQueue.drain();
      assert.equal(smtp.mails.length, mails);
    }));
}

const CHANGES = {
  "email is turned off": (delivery: Delivery) =>
    delivery.preferences.setChannel(OWN, { channel: "email", enabled: false }),
  "email is turned off in its category": (delivery: Delivery) =>
    delivery.preferences.setCategory(OWN, { category, channels: { email: false } }),
  "the minimum priority is raised": (delivery: Delivery) =>
    delivery.preferences.setCategory(OWN, { category, minimumPriority: "HIGH" }),
  "email is turned off for its workspace": (delivery: Delivery) =>
    delivery.preferences.setChannel(
      { userId: USER, workspaceId: WORKSPACE },
      { channel: "email", enabled: false },
    ),
};
for (const [name, change] of Object.entries(CHANGES)) {
  Deno.test(`a digest is not emailed if ${name} while it is waiting`, () =>
    withMail(async (delivery, smtp) => {
      await accept(delivery, "NORMAL", "waits");
      await change(delivery);
      delivery.clock.at += 60_000;
      await delivery.deliveryQueue.drain();
      assert.equal(smtp.mails.length, 0);
    }));
}

Deno.test("a digest includes only events that are still wanted when it is sent", () =>
  withMail(async (delivery, smtp) => {
    const low = { category, minimumPriority: "LOW" } as const;
    await delivery.preferences.setCategory(OWN, low);
    await accept(delivery, "NORMAL", "kept");
    await accept(delivery, "LOW", "dropped");
    await delivery.preferences.setCategory(OWN, { ...low, minimumPriority: "NORMAL" });
    delivery.clock.at += 60_000;
    await delivery.deliveryQueue.drain();
    assert.equal(smtp.mails.length, 1);
    const text = JSON.stringify(smtp.mails[0]);
    assert.match(text, /kept 0/);
    assert.doesNotMatch(text, /dropped 0/);
  }));
