/** Queues of environments: messages for the live deployment's server (docs/queues.md). @module */
import * as z from "zod";
import {
  MAX_DELAY_SECONDS,
  MAX_MESSAGE_BYTES,
  MAX_MESSAGE_KEY,
  MAX_MESSAGE_TYPE,
  QUEUE_NAME,
} from "../lib/queue_limits.ts";
import { pageLimit, timestamp, uuid } from "./common.ts";
import { endpoint } from "./endpoint.ts";
import { ENVIRONMENT_PRODUCTION } from "./environment_names.ts";
import { environmentReference } from "./environments.ts";
import { projectParams } from "./projects.ts";

const LIST_MAX = 100;
const LIST_DEFAULT = 20;

const tag = "Queues";
const path = "/v1/projects/{project}/queues";
const NAME_RULE = "Must be the name of a queue: lowercase letters, digits and -";

const environment = environmentReference.default(ENVIRONMENT_PRODUCTION).describe(
  "Name or ID of the environment",
);

const queueParams = projectParams.extend({
  queue: z.string().regex(QUEUE_NAME, NAME_RULE).describe("Name of the queue").meta({
    example: "mails",
  }),
});
const messageParams = queueParams.extend({ message: uuid.describe("ID of the message") });

export const MESSAGE_STATES = ["waiting", "dead"] as const;
export type MessageState = (typeof MESSAGE_STATES)[number];

export const queue = z.object({
  name: z.string().describe("Name of the queue").meta({ example: "mails" }),
  environment: z.string().describe("Name of the environment").meta({ example: "production" }),
  path: z.string().nullable().describe(
    "Path that gets the messages; null if the live deployment does not declare the queue",
  ).meta({ example: "/queues/mails" }),
  concurrency: z.int().nullable().describe("Maximum number of messages delivered at the same time"),
  retries: z.int().nullable().describe("Number of retries before a message becomes a dead letter"),
  timeoutMs: z.int().nullable().describe("Maximum time for a delivery in milliseconds"),
  waiting: z.int().nonnegative().describe(
    "Messages waiting for delivery, including those in progress; at most 100,000 are counted",
  ),
  running: z.int().nonnegative().describe("Deliveries in progress"),
  done: z.int().nonnegative().describe("Messages delivered so far"),
  dead: z.int().nonnegative().describe("Dead letters"),
}).meta({ id: "Queue" });
export type Queue = z.infer<typeof queue>;

export const queueMessage = z.object({
  id: uuid.describe("ID of the message, and its `webhook-id`"),
  state: z.enum(MESSAGE_STATES).describe("`dead` once all deliveries have failed"),
  key: z.string().nullable().describe(
    "Messages with the same key are delivered one after another",
  ),
  contentType: z.string().describe("Media type of the body"),
  size: z.int().describe("Size of the body in bytes"),
  preview: z.string().nullable().describe(
    "First 500 characters of the body; null if it is not short text",
  ),
  attempts: z.int().describe("Deliveries that failed so far"),
  lastReason: z.string().nullable().describe("Why the last delivery failed"),
  sentAt: timestamp.describe("When it was sent"),
  dueAt: timestamp.nullable().describe("Next delivery; null for a dead letter"),
  deadAt: timestamp.nullable().describe("When it became a dead letter"),
}).meta({ id: "QueueMessage" });
export type QueueMessage = z.infer<typeof queueMessage>;

export const listQueues = endpoint({
  method: "GET",
  path,
  summary: "List an environment's queues with their counts",
  tag,
  params: projectParams,
  query: z.object({ environment }),
  response: z.object({ items: z.array(queue).describe("Queues by name") }),
});

export const sendQueueMessage = endpoint({
  method: "POST",
  path: `${path}/{queue}/messages`,
  summary: "Send a message to a queue in an environment",
  tag,
  params: queueParams,
  body: z.object({
    environment,
    body: z.string().max(MAX_MESSAGE_BYTES).refine(
      (text) =>
        text.isWellFormed() && new TextEncoder().encode(text).byteLength <= MAX_MESSAGE_BYTES,
      `Must be well-formed text of at most ${MAX_MESSAGE_BYTES} bytes`,
    ).describe("Body of the message"),
    contentType: z.string().min(1).max(MAX_MESSAGE_TYPE).regex(
      /^[\x20-\x7e]+$/,
      "Must be a media type such as text/plain",
    ).default("application/json").describe("Media type of the body"),
    key: z.string().min(1).max(MAX_MESSAGE_KEY).refine(
      (text) => text.isWellFormed(),
      "Must be text",
    )
      .nullable().default(null).describe(
        "Messages with the same key are delivered one after another, in the order in which they were sent",
      ),
    delaySeconds: z.int().min(0).max(MAX_DELAY_SECONDS).optional().describe(
      "Seconds until the first delivery, at most 30 days",
    ),
    at: timestamp.max(40).optional().describe(
      "Time of the first delivery, at most 30 days from now",
    ),
    id: z.string().min(1).max(MAX_MESSAGE_KEY).optional().describe(
      "Your own ID. Sending it again within 24 hours has no effect",
    ),
  }).strict().meta({ example: { body: '{"to":"ada@example.com"}' } }),
  // JSON uses at most six bytes for each byte of the body.
  maxBodyBytes: 6 * MAX_MESSAGE_BYTES + 16 * 1024,
  status: 201,
  response: z.object({
    id: uuid.describe("ID of the message"),
    isDuplicate: z.boolean().describe(
      "Whether a message with this ID was already sent. If so, " +
        "nothing is stored",
    ),
  }),
  refusals: [429, 507],
});

export const listQueueMessages = endpoint({
  method: "GET",
  path: `${path}/{queue}/messages`,
  summary: "List a queue's dead letters or waiting messages, newest first",
  access: "developer",
  tag,
  params: queueParams,
  query: z.object({
    environment,
    state: z.enum(MESSAGE_STATES).default("dead").describe("Which messages"),
    limit: pageLimit(LIST_MAX, LIST_DEFAULT).meta({
      description: "Maximum number of messages",
      example: 20,
    }),
    cursor: uuid.optional().meta({ description: "`nextCursor` of the previous page" }),
  }),
  response: z.object({
    items: z.array(queueMessage).describe("Entries on the page"),
    nextCursor: z.string().nullable().describe("`cursor` of the next page; null on the last page"),
  }),
});

const ofEnvironment = z.object({ environment }).strict().meta({ example: {} });

export const retryQueueMessage = endpoint({
  method: "POST",
  path: `${path}/{queue}/messages/{message}/retry`,
  summary: "Deliver a dead letter again, or a waiting message now",
  tag,
  params: messageParams,
  body: ofEnvironment,
  status: 204,
});

export const deleteQueueMessage = endpoint({
  method: "DELETE",
  path: `${path}/{queue}/messages/{message}`,
  summary: "Delete a message from a queue",
  tag,
  params: messageParams,
  query: z.object({ environment }),
  status: 204,
});

export const retryQueue = endpoint({
  method: "POST",
  path: `${path}/{queue}/retry`,
  summary: "Deliver a queue's dead letters again, at most 1,000 per request",
  tag,
  params: queueParams,
  body: ofEnvironment,
  response: z.object({
    retried: z.int().describe("Number of dead letters that are queued again"),
    hasMore: z.boolean().describe("Whether there are more messages"),
  }),
});

export const purgeQueue = endpoint({
  method: "POST",
  path: `${path}/{queue}/purge`,
  summary: "Delete a queue's dead letters or waiting messages, at most 1,000 per request",
  tag,
  params: queueParams,
  body: z.object({
    environment,
    state: z.enum(MESSAGE_STATES).describe("Which messages"),
  }).strict().meta({ example: { state: "dead" } }),
  response: z.object({
    removed: z.int().describe("Messages deleted"),
    hasMore: z.boolean().describe("Whether there are more messages"),
  }),
});
