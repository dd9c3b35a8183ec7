/** The content and urgency of a push message (RFC 8030). Pure. @module */
import { type Priority } from "../../../../contract/events.ts";
import type { NotificationContent } from "../../delivery/types.ts";

/**
 * Maximum length of the content, in bytes. A push service accepts 4,096 bytes, some of which
 * encryption and framing need.
 */
const MAX_PAYLOAD_BYTES = 3000;
const MAX_TITLE = 200;

const HOUR_S = 60 * 60;

/** How long a push service keeps a message, and how urgent the message is. */
export const PUSH_URGENCY: Readonly<
  Record<Priority, { readonly ttlSeconds: number; readonly urgency: "high" | "normal" | "low" }>
> = {
  CRITICAL: { ttlSeconds: 72 * HOUR_S, urgency: "high" },
  HIGH: { ttlSeconds: 24 * HOUR_S, urgency: "high" },
  NORMAL: { ttlSeconds: 12 * HOUR_S, urgency: "normal" },
  LOW: { ttlSeconds: 4 * HOUR_S, urgency: "low" },
};

/**
 * Returns a delivery's topic, which is at most 32 characters long. A repeated message replaces a
 * waiting one that has the same topic.
 */
export function pushTopic(deliveryId: string): string {
  return deliveryId.slice(0, 32);
}

export function pushPayload(content: NotificationContent): string {
  const { id, event, category, priority, title, actionUrl, createdAt } = content;
  const rest = { id, event, category, priority, title: title.slice(0, MAX_TITLE), createdAt };
  const full = { ...rest, url: actionUrl, body: content.body };
  const size = (value: object) => new TextEncoder().encode(JSON.stringify(value)).byteLength;
  if (size(full) <= MAX_PAYLOAD_BYTES) return JSON.stringify(full);
  const url = actionUrl !== null && actionUrl.length <= 1000 ? actionUrl : null;
  return JSON.stringify({ ...rest, url, body: content.body.slice(0, 300) });
}
