/** @module The `[[queues]]` tables of `svc.toml`. */
import * as z from "zod";
import { parseTime } from "./field_rules.ts";
import { table } from "./table.ts";

const MAX_QUEUES = 20;
const QUEUES_RULE = `Use [[queues]] tables with name and path, at most ${MAX_QUEUES}`;
const QUEUE_NAME_RULE =
  "Use a name of 1 to 40 lowercase letters, digits and hyphens that starts with a letter";
const QUEUE_PATH_RULE =
  "Use a path that begins with /, at most 512 characters, without ?, # and spaces";
const CONCURRENCY_RULE = "Use a whole number from 1 to 100";
const RETRIES_RULE = "Use a whole number from 0 to 20";
/** Maximum duration of one delivery: 15 minutes. */
const MAX_DELIVERY_MS = 900_000;
const DELIVERY_RULE = 'Use a time from 1 second to 15 minutes, such as "90s"';

const isDeliveryTime = (value: number | string): boolean => {
  const time = parseTime(value);
  return time !== undefined && time >= 1000 && time <= MAX_DELIVERY_MS;
};

const queue = table({
  name: z.string(QUEUE_NAME_RULE)
    .regex(/^[a-z](?:[a-z0-9-]{0,38}[a-z0-9])?$/, QUEUE_NAME_RULE)
    .meta({ description: "Name of the queue.", examples: ["mails"] }),
  path: z.string(QUEUE_PATH_RULE).max(512, QUEUE_PATH_RULE).regex(
    /^\/(?!\/)[\x21-\x22\x24-\x3e\x40-\x7e]*$/,
    QUEUE_PATH_RULE,
  ).meta({
    description:
      "Server path that receives each message as a POST. All other requests to it are refused.",
    examples: ["/queues/mails"],
  }),
  concurrency: z.int(CONCURRENCY_RULE).min(1, CONCURRENCY_RULE).max(100, CONCURRENCY_RULE)
    .optional().meta({
      description: "Maximum number of messages delivered at the same time; 5 when omitted.",
      examples: [1],
    }),
  retries: z.int(RETRIES_RULE).min(0, RETRIES_RULE).max(20, RETRIES_RULE).optional().meta({
    description: "Number of retries before a message becomes a dead letter; 5 when omitted.",
    examples: [10],
  }),
  timeout: z.union([z.string(), z.int()], DELIVERY_RULE).refine(isDeliveryTime, DELIVERY_RULE)
    .optional().meta({
      description:
        "Maximum duration of a delivery, from 1 second to 15 minutes; 60 seconds when omitted. A number counts seconds.",
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
