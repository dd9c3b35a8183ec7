/**
 * The HTTP API through which servers and functions send messages. The API has the same address as
 * their key-value store (docs/queues.md).
 *
 * @module
 */
import * as z from "zod";
import { messageOf } from "../../lib/error_message.ts";
import {
  MAX_DELAY_SECONDS,
  MAX_MESSAGE_BYTES,
  MAX_MESSAGE_KEY,
  MAX_MESSAGE_TYPE,
} from "../../lib/queue_limits.ts";
import { readLimited } from "../../lib/read_limited.ts";
import { Failure, toFailure } from "../core/http/mod.ts";
import type { NewMessage } from "./message.ts";

const PATH = /^\/v1\/queues\/([^/]+)\/messages$/;

const DELAY_RULE = `Use a whole number of seconds from 0 to ${MAX_DELAY_SECONDS}`;
const AT_RULE = "Use a time such as 2026-12-01T09:00:00Z, at most 30 days from now";
const textRule = (name: string) => `Use ${name} of 1 to ${MAX_MESSAGE_KEY} characters`;

const optionsSchema = z.strictObject({
  delay: z.string().regex(/^\d{1,7}$/, DELAY_RULE).transform(Number)
    .refine((seconds) => seconds <= MAX_DELAY_SECONDS, DELAY_RULE).optional(),
  at: z.iso.datetime({ offset: true, error: AT_RULE }).optional(),
  key: z.string().min(1, textRule("a key")).max(MAX_MESSAGE_KEY, textRule("a key")).optional(),
  id: z.string().min(1, textRule("an id")).max(MAX_MESSAGE_KEY, textRule("an id")).optional(),
});

export const isQueuePath = (path: string): boolean => path.startsWith("/v1/queues/");

/** Returns when to deliver a message for the first time. @throws {Failure} `invalid_request` */
export function dueTime(
  { delaySeconds, at }: {
    readonly delaySeconds?: number | undefined;
    readonly at?: string | undefined;
  },
  now: number,
): number {
  if (at === undefined) return now + (delaySeconds ?? 0) * 1000;
  if (delaySeconds !== undefined) {
    throw new Failure("invalid_request", "Set a delay or a time, not both");
  }
  const time = Date.parse(at);
  if (time - now > MAX_DELAY_SECONDS * 1000) throw new Failure("invalid_request", AT_RULE);
  return Math.max(now, time);
}

async function readMessage(
  request: Request,
  now: number,
): Promise<{ readonly queue: string; readonly message: Omit<NewMessage, "labels"> }> {
  const url = new URL(request.url);
  const [, queue] = PATH.exec(url.pathname) ?? [];
  if (queue === undefined) throw new Failure("not_found", "Use /v1/queues/<name>/messages");
  if (request.method !== "POST") throw new Failure("method_not_allowed", "Use POST");
  const parsed = optionsSchema.safeParse(Object.fromEntries(url.searchParams));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Failure("invalid_request", `${issue?.path.join(".") ?? "query"}: ${issue?.message}`);
  }
  const { delay, at, key, id } = parsed.data;
  const contentType = request.headers.get("content-type") ?? "application/octet-stream";
  if (contentType.length > MAX_MESSAGE_TYPE) {
    throw new Failure(
      "invalid_request",
      `Use a Content-Type of at most ${MAX_MESSAGE_TYPE} characters`,
    );
  }
  const body = await readLimited(request.body, MAX_MESSAGE_BYTES);
  if (body === undefined) {
    throw new Failure("payload_too_large", `Use a body of at most ${MAX_MESSAGE_BYTES} bytes`);
  }
  return {
    queue,
    message: {
      key: key ?? null,
      dedupeId: id ?? null,
      contentType,
      body,
      dueAt: dueTime({ delaySeconds: delay, at }, now),
    },
  };
}

/** Handles a request to send a message. Never rejects. */
export async function answerSend(
  request: Request,
  { now, send, onTrouble }: {
    readonly now: number;
    send(
      queue: string,
      message: Omit<NewMessage, "labels">,
    ): Promise<{ readonly id: string; readonly isDuplicate: boolean }>;
    onTrouble(message: string): void;
  },
): Promise<Response> {
  try {
    const { queue, message } = await readMessage(request, now);
    return Response.json(await send(queue, message), { status: 201 });
  } catch (error) {
    const { status, code, message, retryAfter } = toFailure(error);
    if (status === 500) onTrouble(`Cannot send to a queue: ${messageOf(error)}`);
    return Response.json({ error: message, code }, {
      status,
      headers: retryAfter === undefined ? {} : { "retry-after": String(retryAfter) },
    });
  }
}
