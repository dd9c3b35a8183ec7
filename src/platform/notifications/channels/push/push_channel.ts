/**
 * Sends browser notifications: encrypts them (RFC 8291), signs them (RFC 8292), and posts them (RFC
 * 8030).
 *
 * @module
 */
import { CHANNEL_ROWS } from "../../../../contract/channels.ts";
import type { Clock } from "../../../../lib/clock.ts";
import type { OutboundFetch } from "../../../../runtime/mod.ts";
import type { Channel, SendOutcome } from "../../delivery/channel.ts";
import { judgePostError, judgeStatus, type PostAnswer, postOut } from "../post_out.ts";
import { PUSH_URGENCY, pushPayload, pushTopic } from "./push_message.ts";
import type { SubscriptionRecord, SubscriptionStore } from "./subscription_store.ts";
import type { VapidKeys } from "./vapid.ts";

interface PushChannelOptions {
  readonly store: SubscriptionStore;
  readonly outbound: OutboundFetch;
  vapidKeys(): Promise<VapidKeys>;
  /** The contact for push services: a `mailto:` or `https:` URL. */
  readonly subject: string;
  readonly now: Clock;
}

function judge(answer: PostAnswer): SendOutcome {
  const { status } = answer;
  if (status >= 200 && status < 300) return { type: "sent", detail: `Status ${status}` };
  if (status === 413) {
    return { type: "failed", reason: "The message is too large for the push service" };
  }
  if (status === 400 || status === 401 || status === 403) {
    const reason = `The push service refused the message with status ${status}`;
    return { type: "failed", reason };
  }
  return judgeStatus(answer);
}

async function encrypt(subscription: SubscriptionRecord, payload: string, facts: {
  readonly keys: VapidKeys;
  readonly subject: string;
  readonly ttlSeconds: number;
  readonly urgency: "high" | "normal" | "low";
  readonly topic: string;
}): Promise<{ headers: [string, string][]; body: Uint8Array<ArrayBuffer> }> {
  const { default: webPush } = await import("web-push");
  const { keys, subject, ttlSeconds, urgency, topic } = facts;
  const { endpoint, p256dh, auth } = subscription;
  const details = webPush.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, payload, {
    vapidDetails: { subject, ...keys },
    contentEncoding: "aes128gcm",
    TTL: ttlSeconds,
    urgency,
    topic,
  });
  const headers = Object.entries(details.headers)
    .filter(([name]) => name.toLowerCase() !== "content-length")
    .map(([name, value]): [string, string] => [name, String(value)]);
  return { headers, body: Uint8Array.from(details.body ?? new Uint8Array()) };
}

export function createPushChannel(options: PushChannelOptions): Channel {
  const { store, outbound, subject, now } = options;
  return {
    name: "push",
    digests: false,
    limits: CHANNEL_ROWS.push.limits,
    async receivers({ userId, content }, once) {
      if (userId === null) return [];
      const all = await once(`push/${userId}`, () => store.collect(userId));
      const subscriptions = all.filter(({ workspaceId }) =>
        workspaceId === null || workspaceId === content.workspaceId
      );
      return subscriptions.map(({ id, endpoint }) => ({ id, host: new URL(endpoint).host }));
    },
    nameOf: async (receiverId, userId) => (await store.find(userId, receiverId))?.name,
    async send({ id, receiverId, userId, contents }) {
      const subscription = await store.find(userId ?? "", receiverId);
      if (subscription === undefined) {
        return { type: "gone", reason: "The browser is no longer subscribed" };
      }
      const content = contents[0]!;
      const { headers, body } = await encrypt(subscription, pushPayload(content), {
        keys: await options.vapidKeys(),
        subject,
        topic: pushTopic(id),
        ...PUSH_URGENCY[content.priority],
      });
      try {
        const answer = await postOut(outbound, { url: subscription.endpoint, headers, body, now });
        if (answer.status === 404 || answer.status === 410) {
          await store.removeFrom(
            { userId: subscription.userId, workspaceId: null },
            subscription.id,
          );
          return { type: "gone", reason: "The browser's subscription has ended" };
        }
        const outcome = judge(answer);
        if (outcome.type === "sent") {
          const { userId, id } = subscription;
          const lastDeliveredAt = now();
          await store.update([userId, id], (current) => ({ ...current, lastDeliveredAt }));
        }
        return outcome;
      } catch (error) {
        return judgePostError(error);
      }
    },
  };
}
