/** Sends signed events to webhooks. @module */
import { CHANNEL_ROWS } from "../../../../contract/channels.ts";
import type { Clock, Random } from "../../../../lib/clock.ts";
import { uuidV7 } from "../../../../lib/ids.ts";
import { createSecretMasker } from "../../../../lib/mask_secrets.ts";
import type { OutboundFetch } from "../../../../runtime/mod.ts";
import type { SecretBox } from "../../../core/secrets/mod.ts";
import type { Channel, Delivery, SendOutcome } from "../../delivery/channel.ts";
import type { NotificationContent } from "../../delivery/types.ts";
import { judgePostError, judgeStatus, postOut } from "../post_out.ts";
import { signWebhook } from "../../../../lib/sign_webhook.ts";
import { webhookBody, webhookMessageId } from "./webhook_body.ts";
import {
  type WebhookLogRecord,
  webhookPlace,
  type WebhookRecord,
  type WebhookStore,
} from "./webhook_store.ts";

/** Number of bytes of a response to show in the log. */
const EXCERPT_BYTES = 1000;
const MAX_LOGGED_ATTEMPTS = 20;
const GONE = "The receiver responded with status 410, so the webhook was turned off";

export interface WebhookParts {
  readonly store: WebhookStore;
  readonly box: SecretBox;
  readonly outbound: OutboundFetch;
  readonly now: Clock;
  readonly random: Random;
}

interface WebhookAttempt {
  readonly outcome: SendOutcome;
  /** HTTP status; `null` if there was no response. */
  readonly status: number | null;
  readonly durationMs: number;
  /** The start of the response's body, without secrets; `null` if there was no response. */
  readonly response: string | null;
}

function wants(
  { enabled, events, categories }: WebhookRecord,
  { event, category }: Pick<NotificationContent, "event" | "category">,
): boolean {
  if (!enabled) return false;
  const wantsAll = events.length === 0 && categories.length === 0;
  return wantsAll || events.includes(event) || categories.includes(category);
}

export function webhookReceiver({ id, workspaceId, url }: WebhookRecord) {
  return { id: `${workspaceId}/${id}`, host: new URL(url).host };
}

function judge(status: number, retryAfterMs: number | undefined): SendOutcome {
  if (status >= 200 && status < 300) return { type: "sent", detail: `Status ${status}` };
  if (status === 410) return { type: "failed", reason: GONE };
  return judgeStatus({ status, retryAfterMs });
}

export async function postWebhook(
  webhook: WebhookRecord,
  content: NotificationContent,
  { box, outbound, now }: WebhookParts,
): Promise<WebhookAttempt> {
  const [place, id, body] = [
    webhookPlace(webhook),
    webhookMessageId(content),
    webhookBody(content),
  ];
  const timestamp = Math.floor(now() / 1000);
  const { secret, previous } = webhook;
  const sealed = previous !== null && now() < previous.until ? [secret, previous.secret] : [secret];
  const secrets = await Promise.all(sealed.map((each) => box.open(each, place)));
  const signatures = secrets.map((each) => signWebhook({ id, timestamp, body }, each));
  const started = performance.now();
  const elapsed = () => Math.round(performance.now() - started);
  try {
    const { status, retryAfterMs, excerpt } = await postOut(outbound, {
      url: webhook.url,
      headers: [
        ["content-type", "application/json"],
        ["webhook-id", id],
        ["webhook-timestamp", `${timestamp}`],
        ["webhook-signature", signatures.join(" ")],
      ],
      body: new TextEncoder().encode(body),
      now,
      excerptBytes: EXCERPT_BYTES,
    });
    const response = createSecretMasker([...secrets, ...signatures]).mask(
      new TextDecoder().decode(excerpt),
    );
    return { outcome: judge(status, retryAfterMs), status, durationMs: elapsed(), response };
  } catch (error) {
    return { outcome: judgePostError(error), status: null, durationMs: elapsed(), response: null };
  }
}

const STATUS_AFTER = {
  sent: "delivered",
  failed: "failed",
  gone: "failed",
  retry: "pending",
} as const;

export function createWebhookChannel(parts: WebhookParts): Channel {
  const { store, now, random } = parts;

  const find = (receiverId: string) => {
    const [workspaceId = "", id = ""] = receiverId.split("/");
    return store.find(workspaceId, id);
  };

  const log = async (delivery: Delivery, webhookId: string, attempt: WebhookAttempt) => {
    const { outcome, status, durationMs, response } = attempt;
    const known = await store.entryOf(webhookId, delivery.id);
    const detail = outcome.type === "sent" ? outcome.detail : outcome.reason;
    const entry: WebhookLogRecord = {
      id: known?.id ?? uuidV7(now, random),
      deliveryId: delivery.id,
      content: delivery.contents[0]!,
      createdAt: known?.createdAt ?? now(),
      status: STATUS_AFTER[outcome.type],
      attempts: [...known?.attempts ?? [], { at: now(), status, durationMs, detail, response }]
        .slice(-MAX_LOGGED_ATTEMPTS),
    };
    await store.note(webhookId, entry);
  };

  return {
    name: "webhook",
    digests: false,
    limits: CHANNEL_ROWS.webhook.limits,
    async receivers({ content }, once) {
      const { workspaceId } = content;
      if (workspaceId === null) return [];
      const webhooks = await once(
        `webhooks/${workspaceId}`,
        () => store.collect(workspaceId),
      );
      return webhooks.filter((webhook) => wants(webhook, content)).map(webhookReceiver);
    },
    async send(delivery) {
      const webhook = await find(delivery.receiverId);
      if (webhook === undefined) return { type: "gone", reason: "The webhook was deleted" };
      if (!webhook.enabled) return { type: "failed", reason: "The webhook is turned off" };
      const attempt = await postWebhook(webhook, delivery.contents[0]!, parts);
      await log(delivery, webhook.id, attempt);
      if (attempt.status === 410) {
        await store.update([webhook.workspaceId, webhook.id], (current) => ({
          ...current,
          enabled: false,
          disabledReason: GONE,
        }));
      }
      return attempt.outcome;
    },
    async onGivenUp({ id, receiverId }) {
      const webhookId = receiverId.split("/")[1] ?? "";
      const entry = await store.entryOf(webhookId, id);
      if (entry !== undefined) await store.note(webhookId, { ...entry, status: "failed" });
    },
  };
}
