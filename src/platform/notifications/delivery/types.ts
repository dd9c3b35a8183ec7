/** The interface for the delivery queue, which sends notifications out of the platform. @module */
import * as z from "zod";
import { type DeliveryChannel } from "../../../contract/channels.ts";
import { eventData } from "../../../contract/event_data.ts";
import { EVENT_CATEGORIES, eventName, PRIORITIES } from "../../../contract/events.ts";
import type { Lease } from "../../../store/mod.ts";

export const notificationContent = z.object({
  /** The UUID of the notification or, for webhooks, of the event. */
  id: z.string(),
  event: eventName,
  category: z.enum(EVENT_CATEGORIES),
  priority: z.enum(PRIORITIES),
  title: z.string(),
  body: z.string(),
  /** The absolute URL to open; `null` if there is none. */
  actionUrl: z.string().nullable(),
  /** Milliseconds since the epoch. */
  createdAt: z.number(),
  workspaceId: z.string().nullable(),
  data: eventData,
});
export type NotificationContent = Readonly<z.infer<typeof notificationContent>>;

/** A notification to send over one channel, to one person or to a workspace's webhooks or forge. */
export interface DeliveryRequest {
  /**
   * Idempotency key for the event, person and channel. For each key, the notification is delivered
   * only once.
   */
  readonly key: string;
  readonly channel: DeliveryChannel;
  /**
   * The person who gets the notification; `null` for a webhook or a forge, which belong to a
   * workspace.
   */
  readonly userId: string | null;
  readonly content: NotificationContent;
}

/**
 * Checks, when a message is about to be sent, whether the receiver still wants it over this
 * channel.
 */
export type ReviewDelivery = (message: {
  readonly channel: DeliveryChannel;
  readonly userId: string | null;
  readonly workspaceId: string | null;
}) => Promise<(content: NotificationContent) => boolean>;

export interface DeliveryQueue {
  /** Accepts requests. Resolves when all of them are stored. Repeated keys have no effect. */
  accept(requests: readonly DeliveryRequest[], lease?: Lease): Promise<void>;
}
