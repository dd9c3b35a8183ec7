/** Outgoing webhooks for a workspace's events, signed according to Standard Webhooks. @module */
import { EVENT_CATEGORIES, EVENT_NAMES, eventName } from "./events.ts";
import * as z from "zod";
import { page, pageQuery, timestamp, uuid } from "./common.ts";
import { endpoint } from "./endpoint.ts";

const tag = "Webhooks";

/** Maximum number of webhooks per workspace. */
export const MAX_WEBHOOKS = 20;
/** Maximum number of deliveries in a webhook's log. */
export const MAX_WEBHOOK_LOG = 200;

const category = z.enum(EVENT_CATEGORIES);
const url = z.url({ protocol: /^https?$/, error: "Must be an http or https URL" }).max(1000)
  .refine(
    (text) => {
      const parsed = URL.parse(text);
      return parsed === null || (parsed.username === "" && parsed.password === "");
    },
    "Must have no credentials",
  );
const description = z.string().trim().max(200, "Must be at most 200 characters");

const settings = {
  url: url.meta({
    description: "URL that events are sent to",
    example: "https://hooks.example.com/svc",
  }),
  description: description.meta({
    description: "Description of the webhook",
    example: "Posts to the chat room",
  }),
  events: z.array(eventName).max(EVENT_NAMES.length).describe(
    "Events to send. If empty, the events of `categories` are sent, or all events",
  ),
  categories: z.array(category).max(EVENT_CATEGORIES.length).describe(
    "Categories of events to send. If both lists are empty, all events are sent",
  ),
  enabled: z.boolean().meta({ description: "Whether events are sent", example: true }),
};

export const webhook = z.object({
  id: uuid.describe("ID of the webhook"),
  ...settings,
  url: z.string().meta({
    description: "URL that events are sent to",
    example: "https://hooks.example.com/svc",
  }),
  disabledReason: z.string().nullable().describe(
    "Why the platform turned it off; null if it is on or an owner turned it off",
  ),
  createdAt: timestamp.describe("When the webhook was created"),
}).meta({ id: "Webhook" });
export type Webhook = z.infer<typeof webhook>;

const one = z.object({ webhook: uuid.describe("ID of the webhook") });
/** `whsec_` and 32 bytes in base64. */
const withSecret = webhook.extend({
  secret: z.string().meta({
    description: "Secret that signs deliveries; shown only once",
    example: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  }),
});

export const createWebhook = endpoint({
  method: "POST",
  path: "/v1/webhooks",
  summary: "Create a webhook. Its signing secret is shown only once",
  tag,
  access: "owner",
  body: z.object({
    url: settings.url.meta({
      description: "URL that events are sent to",
      example: "https://shop.example.net",
    }),
    description: settings.description.default("").meta({
      description: "Description of the webhook",
      example: "Posts to the chat room",
    }),
    events: settings.events.default([]),
    categories: settings.categories.default([]),
  }).strict(),
  response: withSecret,
  status: 201,
});

export const listWebhooks = endpoint({
  method: "GET",
  path: "/v1/webhooks",
  summary: "List the workspace's webhooks",
  tag,
  access: "owner",
  query: pageQuery,
  response: page(webhook),
});

export const getWebhook = endpoint({
  method: "GET",
  path: "/v1/webhooks/{webhook}",
  summary: "Show a webhook",
  tag,
  access: "owner",
  params: one,
  response: webhook,
});

export const updateWebhook = endpoint({
  method: "PATCH",
  path: "/v1/webhooks/{webhook}",
  summary: "Update a webhook, or turn it on again",
  tag,
  access: "owner",
  params: one,
  body: z.object(settings).partial().strict(),
  response: webhook,
});

export const deleteWebhook = endpoint({
  method: "DELETE",
  path: "/v1/webhooks/{webhook}",
  summary: "Delete a webhook and its log",
  tag,
  access: "owner",
  params: one,
  status: 204,
});

export const rotateWebhookSecret = endpoint({
  method: "POST",
  path: "/v1/webhooks/{webhook}/rotate",
  summary: "Rotate the signing secret. For 24 hours, messages are signed with both secrets",
  tag,
  access: "owner",
  params: one,
  response: withSecret,
});

const response = z.string().nullable().meta({
  description:
    "First 1,000 bytes of the response, with the webhook's secret removed; null if there was no response",
  example: "ok",
});

const webhookDelivery = z.object({
  id: uuid.describe("ID of the delivery"),
  messageId: z.string().describe("`webhook-id`, which receivers use to detect duplicates"),
  event: eventName.meta({ description: "Name of the event", example: "deployment.live" }),
  request: z.string().meta({
    description: "First 2,000 characters of the body that was sent",
    example: '{"type":"deployment.live"}',
  }),
  status: z.enum(["pending", "delivered", "failed"]).describe("Status of the delivery"),
  attempts: z.array(z.object({
    at: timestamp.describe("Time of the attempt"),
    status: z.int().nullable().describe("HTTP status of the response; null if there was none"),
    durationMs: z.int().meta({ description: "Duration in milliseconds", example: 48 }),
    detail: z.string().meta({ description: "Result of the attempt", example: "200 OK" }),
    response,
  })).describe("Attempts, oldest first"),
  createdAt: timestamp.describe("When the delivery was created"),
}).meta({ id: "WebhookDelivery" });
export type WebhookDelivery = z.infer<typeof webhookDelivery>;

export const listWebhookDeliveries = endpoint({
  method: "GET",
  path: "/v1/webhooks/{webhook}/deliveries",
  summary: `List the latest ${MAX_WEBHOOK_LOG} deliveries with their attempts, newest first`,
  tag,
  access: "owner",
  params: one,
  query: pageQuery,
  response: page(webhookDelivery),
});

export const redeliverWebhook = endpoint({
  method: "POST",
  path: "/v1/webhooks/{webhook}/deliveries/{delivery}/redeliver",
  summary: "Resend a delivery with the same `webhook-id`",
  tag,
  access: "owner",
  params: z.object({
    webhook: uuid.describe("ID of the webhook"),
    delivery: uuid.describe("ID of the delivery"),
  }),
  response: z.object({ accepted: z.literal(true).describe("Always true: the delivery is queued") }),
});

export const testWebhook = endpoint({
  method: "POST",
  path: "/v1/webhooks/{webhook}/test",
  summary: "Send a signed sample event, and show the result",
  tag,
  access: "owner",
  params: one,
  body: z.object({
    event: eventName.default("deployment.live").meta({
      description: "Event to send",
      example: "deployment.live",
    }),
  }).strict(),
  response: z.object({
    delivered: z.boolean().describe("Whether the receiver accepted the event"),
    status: z.int().nullable().meta({
      description: "HTTP status of the receiver; null if there was no response",
      example: 200,
    }),
    durationMs: z.int().meta({ description: "Duration in milliseconds", example: 48 }),
    detail: z.string().meta({ description: "Result of the attempt", example: "200 OK" }),
    response,
  }),
});
