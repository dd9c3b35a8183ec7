/** Outgoing messages: tests, and messages that could not be delivered. @module */
import { DELIVERY_CHANNELS, PERSONAL_CHANNELS } from "./channels.ts";
import { eventName } from "./events.ts";
import * as z from "zod";
import { page, pageQuery, timestamp, uuid } from "./common.ts";
import { endpoint } from "./endpoint.ts";

const tag = "Deliveries";

const deadLetter = z.object({
  id: uuid.describe("ID of the dead letter"),
  channel: z.enum(DELIVERY_CHANNELS).describe("Channel of the message"),
  userId: uuid.nullable().describe("Account of the recipient; null for a webhook or a forge"),
  workspaceId: uuid.nullable().describe("ID of the workspace; null if the message has none"),
  event: eventName.describe("Event of the notification; for a digest, of the first one"),
  title: z.string().meta({ description: "Title of the message", example: "shop is live" }),
  notifications: z.int().describe("Number of notifications in the message"),
  reason: z.string().meta({
    description: "Why the delivery failed",
    example: "Connection refused",
  }),
  attempts: z.int().meta({ description: "Number of attempts", example: 3 }),
  acceptedAt: timestamp.describe("When the message was queued"),
  givenUpAt: timestamp.describe("When the platform gave up on the delivery"),
}).meta({ id: "DeadLetter" });
export type DeadLetter = z.infer<typeof deadLetter>;

const one = z.object({ letter: uuid.describe("ID of the dead letter") });
const resent = z.object({ resent: z.int().describe("Number of messages queued again") });
const resentAll = resent.extend({
  hasMore: z.boolean().describe("Whether there are more messages"),
});

export const listDeadLetters = endpoint({
  method: "GET",
  path: "/v1/notifications/dead-letters",
  summary: "List your messages that could not be delivered, newest first. Kept for 30 days",
  tag,
  access: "self",
  query: pageQuery,
  response: page(deadLetter),
});

export const resendDeadLetter = endpoint({
  method: "POST",
  path: "/v1/notifications/dead-letters/{letter}/resend",
  summary: "Resend one of your dead letters",
  tag,
  access: "self",
  params: one,
  response: resent,
});

export const resendDeadLetters = endpoint({
  method: "POST",
  path: "/v1/notifications/dead-letters/resend-all",
  summary: "Resend up to 1,000 of your dead letters",
  tag,
  access: "self",
  response: resentAll,
});

export const deleteDeadLetter = endpoint({
  method: "DELETE",
  path: "/v1/notifications/dead-letters/{letter}",
  summary: "Delete one of your dead letters",
  tag,
  access: "self",
  params: one,
  status: 204,
});

export const listWorkspaceDeadLetters = endpoint({
  method: "GET",
  path: "/v1/dead-letters",
  summary: "List all messages about the workspace that could not be delivered",
  tag,
  access: "owner",
  query: pageQuery,
  response: page(deadLetter),
});

export const resendWorkspaceDeadLetter = endpoint({
  method: "POST",
  path: "/v1/dead-letters/{letter}/resend",
  summary: "Resend one of the workspace's dead letters",
  tag,
  access: "owner",
  params: one,
  response: resent,
});

export const resendWorkspaceDeadLetters = endpoint({
  method: "POST",
  path: "/v1/dead-letters/resend-all",
  summary: "Resend up to 1,000 of the workspace's dead letters",
  tag,
  access: "owner",
  response: resentAll,
});

/** The result of sending a test message to one receiver. */
const attemptResult = z.object({
  receiver: z.string().describe("Address, chat or browser, shortened"),
  delivered: z.boolean().describe("Whether the receiver accepted the message"),
  detail: z.string().describe("Response from the receiver, or why it could not be reached"),
  durationMs: z.int().meta({ description: "Duration in milliseconds", example: 48 }),
});

export const sendTestNotification = endpoint({
  method: "POST",
  path: "/v1/notifications/test",
  summary: "Send yourself a test message over a channel, and show the result",
  tag,
  access: "self",
  body: z.object({ channel: z.enum(PERSONAL_CHANNELS).describe("Channel to test") }).strict(),
  response: z.object({
    channel: z.enum(PERSONAL_CHANNELS).describe("Channel that was tested"),
    delivered: z.boolean().describe("Whether every receiver accepted the message"),
    results: z.array(attemptResult).describe("Result for each receiver"),
  }).meta({ id: "TestResult" }),
});
