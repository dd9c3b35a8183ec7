/**
 * A queue's messages as they are stored, and the limits of queues.
 *
 * @module
 */
import * as z from "zod";

/** Maximum number of waiting messages and dead letters in a queue. */
export const MAX_STORED = 100_000;
/** Maximum number of messages that an environment can send in ten seconds. */
export const SEND_RATE = { limit: 5_000, windowMs: 10_000, stepMs: 100 } as const;
/** How long to keep the IDs that senders gave their messages, in milliseconds. */
export const SEEN_MS = 24 * 60 * 60 * 1000;
/** How long dead letters are kept, in milliseconds. */
export const LETTER_MS = 30 * 24 * 60 * 60 * 1000;

/** Maximum size of a text body that is stored in the message's record, in bytes. */
export const INLINE_BYTES = 16 * 1024;
/** Size of one part of a body, in bytes. A Deno KV value is limited to 64 KiB. */
export const PART_BYTES = 60_000;

/** An environment's queue: project, environment, and name. */
export type QueuePlace = readonly [projectId: string, environment: string, queue: string];

export const messageRecord = z.object({
  id: z.string(),
  /**
   * Labels of the hosts that can receive the message, which goes to the first host whose deployment
   * declares the queue.
   */
  labels: z.array(z.string()),
  /**
   * Messages with the same key are delivered one after another, in the order in which they were
   * sent.
   */
  key: z.string().nullable(),
  /** The message's position among the messages with the same key. */
  place: z.int().nullable(),
  contentType: z.string(),
  size: z.int(),
  /** The body, if it is short text; `null` if it is stored in parts. */
  text: z.string().nullable(),
  sentAt: z.number(),
  /** The time of the next delivery, or of the last delivery if there will be no other. */
  dueAt: z.number(),
  attempts: z.int(),
  lastReason: z.string().nullable(),
  /** When the message became a dead letter; `null` while it is waiting. */
  deadAt: z.number().nullable(),
});
export type QueueMessage = z.infer<typeof messageRecord>;

/** A message to send. */
export interface NewMessage {
  readonly labels: readonly string[];
  readonly key: string | null;
  /**
   * The ID that the sender gave the message. For a day, sending a message with the same ID has no
   * effect.
   */
  readonly dedupeId: string | null;
  readonly contentType: string;
  readonly body: Uint8Array<ArrayBuffer>;
  /** Milliseconds since the epoch. */
  readonly dueAt: number;
}

/** Returns the body as text, if it is UTF-8. */
export function textOf(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return undefined;
  }
}
