/** @module The `[[queues]]` tables of `svc.toml`. */
import * as z from "zod";
import {
  DEFAULT_QUEUE_CONCURRENCY,
  DEFAULT_QUEUE_RETRIES,
  DEFAULT_QUEUE_TIMEOUT_MS,
  MAX_QUEUE_CONCURRENCY,
  MAX_QUEUE_PATH,
  MAX_QUEUE_RETRIES,
  MAX_QUEUE_TIMEOUT_MS,
  MAX_QUEUES,
  MIN_QUEUE_TIMEOUT_MS,
  QUEUE_NAME,
  QUEUE_NAME_RULE,
  QUEUE_PATH,
} from "../lib/queue_limits.ts";
import { parseTime } from "./field_rules.ts";
import { table } from "./table.ts";

const QUEUES_RULE = `Use [[queues]] tables with name and path, at most ${MAX_QUEUES}`;
const QUEUE_PATH_RULE =
  `Use a path that begins with /, at most ${MAX_QUEUE_PATH} characters, without ?, # and spaces`;
const CONCURRENCY_RULE = `Use a whole number from 1 to ${MAX_QUEUE_CONCURRENCY}`;
const RETRIES_RULE = `Use a whole number from 0 to ${MAX_QUEUE_RETRIES}`;
const DELIVERY = `from 1 second to ${MAX_QUEUE_TIMEOUT_MS / 60_000} minutes`;
const DELIVERY_RULE = `Use a time ${DELIVERY}, such as "90s"`;

const isDeliveryTime = (value: number | string): boolean => {
  const time = parseTime(value);
  return time !== undefined && time >= MIN_QUEUE_TIMEOUT_MS && time <= MAX_QUEUE_TIMEOUT_MS;
};

const queue = table({
  name: z.string(QUEUE_NAME_RULE)
    .regex(QUEUE_NAME, QUEUE_NAME_RULE)
    .meta({ description: "Name of the queue.", examples: ["mails"] }),
  path: z.string(QUEUE_PATH_RULE).max(MAX_QUEUE_PATH, QUEUE_PATH_RULE).regex(
    QUEUE_PATH,
    QUEUE_PATH_RULE,
  ).meta({
    description:
      "Server path that receives each message as a POST. All other requests to it are refused.",
    examples: ["/queues/mails"],
  }),
  concurrency: z.int(CONCURRENCY_RULE).min(1, CONCURRENCY_RULE).max(
    MAX_QUEUE_CONCURRENCY,
    CONCURRENCY_RULE,
  )
    .optional().meta({
      description:
        `Maximum number of messages delivered at the same time; ${DEFAULT_QUEUE_CONCURRENCY} when omitted.`,
      examples: [1],
    }),
  retries: z.int(RETRIES_RULE).min(0, RETRIES_RULE).max(MAX_QUEUE_RETRIES, RETRIES_RULE).optional()
    .meta({
      description:
        `Number of retries before a message becomes a dead letter; ${DEFAULT_QUEUE_RETRIES} when omitted.`,
      examples: [10],
    }),
  timeout: z.union([z.string(), z.int()], DELIVERY_RULE).refine(isDeliveryTime, DELIVERY_RULE)
    .optional().meta({
      description: `Maximum duration of a delivery, ${DELIVERY}; ${
        DEFAULT_QUEUE_TIMEOUT_MS / 1000
      } seconds when omitted. A number counts seconds.`,
      examples: ["5m", 90],
    }),
});

export const queues = z.array(queue, QUEUES_RULE).max(MAX_QUEUES, QUEUES_RULE)
  .superRefine((items, context) => {
    for (const [index, { name }] of items.entries()) {
      if (items.findIndex((each) => each.name === name) === index) continue;
      context.addIssue({
        code: "custom",
        path: [index, "name"],
        message: `Use a different name: another queue is named "${name}"`,
      });
    }
  });

/** The keys that each table can have. */
export const QUEUE_KEYS: readonly string[] = Object.keys(queue.shape);
