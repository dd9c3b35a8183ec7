/** @module Declares options that all commands for queues share. */
import { ENVIRONMENT_PRODUCTION } from "../../contract/environment_names.ts";
import type { QueueMessage } from "../../contract/queues.ts";
import { formatAge, printable } from "../terminal/format.ts";

export const ENVIRONMENT_OPTION = [
  "--environment <name>",
  "environment of the queue",
  ENVIRONMENT_PRODUCTION,
] as const;

export const MESSAGE_HEADINGS = ["ID", "SENT", "ATTEMPTS", "KEY", "REASON"] as const;

/** Formats a message as a table row. `now` is in milliseconds. */
export function messageRow(
  { id, sentAt, attempts, key, lastReason }: QueueMessage,
  now: number,
): string[] {
  return [
    id,
    formatAge(sentAt, now),
    String(attempts),
    key === null ? "-" : printable(key),
    lastReason === null ? "-" : printable(lastReason),
  ];
}
