/**
 * Signing of webhooks (Standard Webhooks 1.0: standardwebhooks.com). Pure.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import type { Random } from "../../../../lib/clock.ts";
import type { NotificationContent } from "../../delivery/types.ts";

const PREFIX = "whsec_";
/** The specification asks for 24 to 64 bytes. */
const SECRET_BYTES = 32;

export function mintWebhookSecret(random: Random): string {
  return `${PREFIX}${Buffer.from(random(SECRET_BYTES)).toString("base64")}`;
}

/** `v1,` and the HMAC-SHA256 of id, timestamp and body, in base64. */
export function signWebhook(message: {
  readonly id: string;
  /** Seconds since the epoch. */
  readonly timestamp: number;
  readonly body: string;
}, secret: string): string {
  const key = Buffer.from(secret.slice(PREFIX.length), "base64");
  const { id, timestamp, body } = message;
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`);
  return `v1,${signature.digest("base64")}`;
}

/** The `webhook-id` of an event: the same for every repeat. */
export function webhookMessageId(content: NotificationContent): string {
  return `msg_${content.id}`;
}

/** The body: type, timestamp and data, as the specification advises. */
export function webhookBody(content: NotificationContent): string {
  const { event, createdAt, id, workspaceId, category, priority, title, body, actionUrl } = content;
  return JSON.stringify({
    type: event,
    timestamp: new Date(createdAt).toISOString(),
    data: {
      id,
      workspaceId,
      category,
      priority,
      title,
      body,
      actionUrl,
      details: content.data,
    },
  });
}
