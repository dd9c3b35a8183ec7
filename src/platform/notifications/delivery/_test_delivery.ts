/**
 * A queue with an in-memory store and a clock that tests set, and a channel that responds as a test
 * specifies.
 *
 * @module
 */
import { type ChannelLimits, type DeliveryChannel } from "../../../contract/channels.ts";
import type { Channel, Delivery, SendOutcome } from "./channel.ts";
import { createDeliveryQueue } from "./delivery_queue.ts";
import type { DeliveryRequest, NotificationContent } from "./types.ts";
import { DenoStore, type RecordKey, type RecordStore } from "../../../store/mod.ts";

export const START = Date.UTC(2026, 0, 1, 12);
export const USER = "01900000-0000-7000-8000-00000000000a";
export const WORKSPACE = "01900000-0000-7000-8000-00000000000b";

export const LIMITS: ChannelLimits = {
  maxAttempts: 4,
  maxAgeMs: 60 * 60_000,
  firstPauseMs: 1000,
  factor: 2,
  longestPauseMs: 60_000,
  concurrency: 4,
  perHost: 2,
};

export function content(more: Partial<NotificationContent> = {}): NotificationContent {
  return {
    id: crypto.randomUUID(),
    event: "deployment.live",
    category: "Deployment",
    priority: "HIGH",
    title: "shop is live",
    body: "Version 7 of shop answers in production",
    actionUrl: "https://svc.example/projects/shop",
    createdAt: START,
    workspaceId: WORKSPACE,
    data: { project: "shop" },
    ...more,
  };
}

export function request(
  key: string,
  more: Partial<NotificationContent> = {},
  channel: DeliveryChannel = "email",
): DeliveryRequest {
  return { key, channel, userId: USER, content: content(more) };
}

interface TestChannel extends Channel {
  readonly sent: Delivery[];
  readonly givenUp: string[];
}

/** Creates a channel that returns the result of `answer`, and records all sent messages. */
export function testChannel(
  answer: (delivery: Delivery) => SendOutcome | Promise<SendOutcome>,
  more: Partial<Omit<Channel, "send">> = {},
): TestChannel {
  const sent: Delivery[] = [];
  const givenUp: string[] = [];
  return {
    name: "email",
    limits: LIMITS,
    digests: false,
    receivers: ({ userId }) => Promise.resolve([{ id: userId ?? "webhook", host: "mail" }]),
    send: async (delivery) => {
      sent.push(delivery);
      return await answer(delivery);
    },
    onGivenUp: (_, reason) => {
      givenUp.push(reason);
      return Promise.resolve();
    },
    ...more,
    sent,
    givenUp,
  };
}

export const SENT: SendOutcome = { type: "sent", detail: "250 OK" };

/** Runs a test on a queue. `restart` creates another queue, by default with the same store. */
export async function withQueue(
  channels: readonly Channel[],
  test: (parts: {
    readonly queue: ReturnType<typeof createDeliveryQueue>;
    readonly clock: { at: number };
    readonly kv: RecordStore;
    readonly troubles: string[];
    /** Decides what receivers want. By default, they want everything. */
    readonly wants: { is(content: NotificationContent): boolean };
    restart(over?: RecordStore): ReturnType<typeof createDeliveryQueue>;
  }) => Promise<void>,
): Promise<void> {
  const kv = await DenoStore.open(":memory:");
  const clock = { at: START };
  const troubles: string[] = [];
  const wants = { is: (_content: NotificationContent) => true };
  const restart = (over = kv) =>
    createDeliveryQueue({
      kv: over,
      channels,
      review: () => Promise.resolve((content) => wants.is(content)),
      now: () => clock.at,
      random: (count) => new Uint8Array(count).fill(255),
      onTrouble: (message) => troubles.push(message),
    });
  try {
    await test({ queue: restart(), clock, kv, troubles, wants, restart });
  } finally {
    kv.close();
  }
}

/** Counts the records under a prefix. */
export async function countOf(kv: RecordStore, prefix: RecordKey): Promise<number> {
  return (await Array.fromAsync(kv.list({ prefix }))).length;
}
