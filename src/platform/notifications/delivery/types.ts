/**
 * What the delivery queue takes: notifications that leave the platform.
 *
 * @module
 */
import type { EventCategory, EventData, EventName, Priority } from "../../../contract/events.ts";
import type { Lease } from "../../../store/mod.ts";

/** Channels out of the platform. The inbox is not one: it is written directly. */
export const OUTWARD_CHANNELS = ["email", "messenger", "push", "webhook", "forge"] as const;
export type OutwardChannel = (typeof OUTWARD_CHANNELS)[number];

/** What a message says to people. */
export interface NotificationContent {
  /** UUID of the notification; for webhooks, of the event. */
  readonly id: string;
  readonly event: EventName;
  readonly category: EventCategory;
  readonly priority: Priority;
  readonly title: string;
  readonly body: string;
  /** Absolute URL to open; null where there is none. */
  readonly actionUrl: string | null;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly workspaceId: string | null;
  readonly data: EventData;
}

/** One notification to one person, or to webhooks or a forge of a workspace, over one channel. */
export interface DeliveryRequest {
  /** Idempotency key of event, person and channel: a key is delivered once. */
  readonly key: string;
  readonly channel: OutwardChannel;
  /** The person who gets it; null for a webhook or a forge, which belong to a workspace. */
  readonly userId: string | null;
  readonly content: NotificationContent;
}

/**
 * Checks a message when it is sent: whether this receiver still wants each of its
 * notifications over this channel.
 */
export type ReviewDelivery = (message: {
  readonly channel: OutwardChannel;
  readonly userId: string | null;
  readonly workspaceId: string | null;
}) => Promise<(content: NotificationContent) => boolean>;

/** Stores deliveries durably; they are sent later. */
export interface DeliveryQueue {
  /** Resolves when all are stored. Repeating a key changes nothing. */
  accept(requests: readonly DeliveryRequest[], lease?: Lease): Promise<void>;
}
