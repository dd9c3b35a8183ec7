/** The interface of the delivery queue: notifications that leave the platform. @module */
import * as z from "zod";
import { type DeliveryChannel } from "../../../contract/channels.ts";
import { eventData } from "../../../contract/event_data.ts";
import { EVENT_CATEGORIES, eventName, PRIORITIES } from "../../../contract/events.ts";
import type { Lease } from "../../../store/mod.ts";

export const notificationContent = z.object({
  /** UUID of the notification or, for webhooks, of the event. */
  id: z.string(),
  event: eventName,
  category: z.enum(EVENT_CATEGORIES),
  priority: z.enum(PRIORITIES),
  title: z.string(),
  body: z.string(),
  /** Absolute URL to open; null if there is none. */
  actionUrl: z.string().nullable(),
  /** Milliseconds since the epoch. */
  createdAt: z.number(),
  workspaceId: z.string().nullable(),
  data: eventData,
});
export type NotificationContent = Readonly<z.infer<typeof notificationContent>>;

/** One notification over one channel, to one person or to a workspace's webhooks or forge. */
export interface DeliveryRequest {
  /** Idempotency key for the event, person and channel. Each key is delivered only once. */
  readonly key: string;
  readonly channel: DeliveryChannel;
  /** The person who gets it; null for a webhook or a forge, which belong to a workspace. */
  readonly userId: string | null;
  readonly content: NotificationContent;
}

/** Checks at the time of sending whether a receiver still wants a message over this channel. */
export type ReviewDelivery = (message: {
  readonly channel: DeliveryChannel;
  readonly userId: string | null;
  readonly workspaceId: string | null;
}) => Promise<(content: NotificationContent) => boolean>;

export interface DeliveryQueue {
  /** Resolves when all requests are stored. Repeated keys have no effect. */
  accept(requests: readonly DeliveryRequest[], lease?: Lease): Promise<void>;
}
