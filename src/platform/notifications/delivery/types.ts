/**
 * What is handed over when a notification has to leave the platform.
 *
 * @module
 */
import type { EventCategory, EventData, EventName, Priority } from "../../../contract/mod.ts";

/** Ways out of the platform. The in-app inbox is none: it is written at once. */
export const OUTWARD_CHANNELS = ["email", "messenger", "push", "webhook"] as const;
export type OutwardChannel = (typeof OUTWARD_CHANNELS)[number];

/** What a message says, made ready for people. */
export interface NotificationContent {
  /** UUID of the notification; for webhooks, of the event. */
  readonly id: string;
  readonly event: EventName;
  readonly category: EventCategory;
  readonly priority: Priority;
  readonly title: string;
  readonly body: string;
  /** Absolute URL that opens what it is about; null where there is nothing to open. */
  readonly actionUrl: string | null;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly workspaceId: string | null;
  readonly data: EventData;
}

/** One message to one receiver over one channel. */
export interface DeliveryRequest {
  /** Idempotency key, made of event, receiver and channel: the same key is delivered once. */
  readonly key: string;
  readonly channel: OutwardChannel;
  /** The person who gets it; null for a webhook, which belongs to a workspace. */
  readonly userId: string | null;
  readonly content: NotificationContent;
}

/**
 * Judges a message at the moment of sending: whether each of the notifications
 * that it stands for is still wanted, by this receiver over this channel.
 */
export type ReviewDelivery = (message: {
  readonly channel: OutwardChannel;
  readonly userId: string | null;
  readonly workspaceId: string | null;
}) => Promise<(content: NotificationContent) => boolean>;

/** Takes deliveries durably; sending is the business of the queue and its channels. */
export interface DeliveryQueue {
  /** Resolves when all are stored. The same key again changes nothing. */
  accept(requests: readonly DeliveryRequest[]): Promise<void>;
}
