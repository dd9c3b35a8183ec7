/** @module The manifest's `queues`: routes to which the platform sends messages. */
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

const WANTED_PATH =
  `Use a path of at most ${MAX_QUEUE_PATH} characters that begins with / and has no ?, # or spaces`;
const WANTED_LIST = `Use a list of at most ${MAX_QUEUES} queues`;

const whole = (unit: string, minimum: number, maximum: number) => {
  const wanted = `Use a whole number${unit} from ${minimum} to ${maximum}`;
  return z.int(wanted).min(minimum, wanted).max(maximum, wanted).optional();
};

export const queueSchema = z.strictObject({
  name: z.string(QUEUE_NAME_RULE).regex(QUEUE_NAME, QUEUE_NAME_RULE).describe(
    "Name of the queue, unique in the deployment.",
  ),
  path: z.string(WANTED_PATH).max(MAX_QUEUE_PATH, WANTED_PATH)
    .regex(QUEUE_PATH, WANTED_PATH).describe(
      "Path that receives each message as a POST. The edge refuses all other requests to it.",
    ),
  concurrency: whole("", 1, MAX_QUEUE_CONCURRENCY).describe(
    `Maximum number of messages delivered at the same time. Default: ${DEFAULT_QUEUE_CONCURRENCY}.`,
  ),
  retries: whole("", 0, MAX_QUEUE_RETRIES).describe(
    `Number of retries before a message becomes a dead letter. Default: ${DEFAULT_QUEUE_RETRIES}.`,
  ),
  timeoutMs: whole(" of milliseconds", MIN_QUEUE_TIMEOUT_MS, MAX_QUEUE_TIMEOUT_MS).describe(
    `Maximum time for a delivery, in milliseconds. Default: ${DEFAULT_QUEUE_TIMEOUT_MS}.`,
  ),
}, "Use a table with name and path");

/** A queue, as declared by a deployment. */
type DeclaredQueue = Readonly<z.infer<typeof queueSchema>>;

export const queuesSchema = z.array(queueSchema, WANTED_LIST).max(MAX_QUEUES, WANTED_LIST)
  .superRefine((queues, context) => {
    const seen = new Set<string>();
    for (const [index, { name }] of queues.entries()) {
      if (seen.has(name)) {
        context.addIssue({
          code: "custom",
          path: [index, "name"],
          message: "Use a different name: another queue already has this one",
        });
      }
      seen.add(name);
    }
  });

export interface QueueSettings extends Required<DeclaredQueue> {}

export const queueSettings = (queue: DeclaredQueue): QueueSettings => ({
  ...queue,
  concurrency: queue.concurrency ?? DEFAULT_QUEUE_CONCURRENCY,
  retries: queue.retries ?? DEFAULT_QUEUE_RETRIES,
  timeoutMs: queue.timeoutMs ?? DEFAULT_QUEUE_TIMEOUT_MS,
});

/**
 * Merges the queues from two sources. If both have a queue with the same name, the later source
 * takes precedence.
 */
export function joinQueues(...lists: readonly (readonly DeclaredQueue[])[]): DeclaredQueue[] {
  return [...new Map(lists.flat().map((queue) => [queue.name, queue])).values()];
}
