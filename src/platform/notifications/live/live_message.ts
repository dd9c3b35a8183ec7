/** The live stream's messages as Server-Sent Events (WHATWG HTML, 9.2). @module */
import type { NotificationMessage } from "../../../contract/notifications.ts";

const encoder = new TextEncoder();

/** A comment that prevents proxies from closing an idle stream. */
export const HEARTBEAT = encoder.encode(": heartbeat\n\n");

/**
 * The start of a stream, which makes a client that loses the connection reconnect after 2 seconds.
 */
export const OPENING = encoder.encode("retry: 2000\n\n");

/** Encodes a message. After a disconnect, a client resumes from the last ID that it has read. */
function encodeMessage(message: NotificationMessage, resumeId?: string): Uint8Array {
  const given = message.type === "notification" ? message.id : resumeId;
  const id = given === undefined ? "" : `id: ${given}\n`;
  return encoder.encode(`event: ${message.type}\n${id}data: ${JSON.stringify(message)}\n\n`);
}

export interface EncodedPart {
  readonly bytes: Uint8Array;
  /** ID of the notification in the message, if there is one. */
  readonly id: string | undefined;
}

export interface EncodedMessages {
  readonly parts: readonly EncodedPart[];
  readonly joined: Uint8Array;
}

/**
 * Encodes several messages. Notifications keep their own IDs. The last message gets `resumeId`,
 * from which a client can resume.
 */
export function encodeMessages(
  messages: readonly NotificationMessage[],
  resumeId?: string,
): EncodedMessages {
  const parts = messages.map((message, at) => ({
    bytes: encodeMessage(message, at === messages.length - 1 ? resumeId : undefined),
    id: message.type === "notification" ? message.id : undefined,
  }));
  const joined = new Uint8Array(parts.reduce((sum, { bytes }) => sum + bytes.length, 0));
  let at = 0;
  for (const { bytes } of parts) {
    joined.set(bytes, at);
    at += bytes.length;
  }
  return { parts, joined };
}
