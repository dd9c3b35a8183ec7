/** Web push: the key that browsers subscribe with, and their subscriptions. @module */
import * as z from "zod";
import { page, pageQuery, timestamp, uuid } from "./common.ts";
import { endpoint } from "./endpoint.ts";

const tag = "Web push";

/** Maximum number of subscriptions per account. */
export const MAX_PUSH_SUBSCRIPTIONS = 20;

export const getVapidKey = endpoint({
  method: "GET",
  path: "/v1/notifications/vapid-key",
  summary: "Show the public key for browser subscriptions (RFC 8292)",
  tag,
  auth: "none",
  response: z.object({
    publicKey: z.string().describe(
      "Uncompressed point on P-256, in base64url: the `applicationServerKey`",
    ),
  }),
});

/** Whether the hostname of a URL can be looked up (RFC 1035, 2.3.4). */
function hasPossibleHost(url: string): boolean {
  const host = URL.parse(url)?.hostname ?? "";
  return host.length <= 253 && host.split(".").every((part) => part.length <= 63);
}

const base64url = (bytes: number) =>
  z.string().max(200).regex(/^[A-Za-z0-9_-]+={0,2}$/, "Must be base64url").refine(
    (text) => Math.floor(text.replace(/=+$/, "").length * 3 / 4) === bytes,
    `Must decode to ${bytes} bytes`,
  );

const pushSubscription = z.object({
  id: uuid.describe("ID of the subscription"),
  name: z.string().describe("Browser and operating system, if known"),
  service: z.string().describe("Host of the push service"),
  workspaceId: uuid.nullable().describe(
    "Workspace whose notifications it gets, if created with a key or token of that workspace; null for all of the account's workspaces",
  ),
  createdAt: timestamp.describe("When the subscription was created"),
  lastDeliveredAt: timestamp.nullable().describe(
    "When a message was last delivered; null if never",
  ),
}).meta({ id: "PushSubscription" });
export type PushSubscription = z.infer<typeof pushSubscription>;

export const createPushSubscription = endpoint({
  method: "POST",
  path: "/v1/notifications/push-subscription",
  summary: "Subscribe a browser. Accepts the result of `PushSubscription.toJSON()`",
  tag,
  access: "self",
  body: z.object({
    endpoint: z.url({ protocol: /^https?$/, error: "Must be an http or https URL" }).max(1000)
      .refine(hasPossibleHost, "Must have a host of at most 253 characters, 63 per label").meta({
        description: "URL of the push service",
        example: "https://push.example.net/send/abc",
      }),
    expirationTime: z.number().nullable().optional().meta({
      description:
        "When the subscription expires, in milliseconds since 1970; null if it does not expire",
      example: null,
    }),
    keys: z.object({
      p256dh: base64url(65).meta({
        description: "Public key of the browser, in base64url",
        example:
          "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
      }),
      auth: base64url(16).meta({
        description: "Secret of the subscription, in base64url",
        example: "BTBZMqHH6r4Tts7J_aSIgg",
      }),
    }).strict().describe("Keys for encrypting messages (RFC 8291)"),
  }).strict(),
  response: pushSubscription,
  status: 201,
});

export const listPushSubscriptions = endpoint({
  method: "GET",
  path: "/v1/notifications/push-subscription",
  summary: "List the account's subscribed browsers",
  tag,
  access: "self",
  query: pageQuery,
  response: page(pushSubscription),
});

export const deletePushSubscription = endpoint({
  method: "DELETE",
  path: "/v1/notifications/push-subscription/{subscription_id}",
  summary: "Unsubscribe a browser",
  tag,
  access: "self",
  params: z.object({ subscription_id: uuid.describe("ID of the subscription") }),
  status: 204,
});
