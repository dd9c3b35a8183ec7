/**
 * The messages of the live stream as Server-Sent Events (WHATWG HTML, 9.2).
 *
 * @module
 */
import type { NotificationMessage } from "../../../contract/mod.ts";

const encoder = new TextEncoder();

/** A comment that keeps proxies from closing an idle stream. */
export const HEARTBEAT = encoder.encode(": heartbeat\n\n");

/** The start of a stream: a client that loses it reconnects after 2 seconds. */
export const OPENING = encoder.encode("retry: 2000\n\n");

/**
 * Encodes a message. Only new notifications carry an id, from which a client resumes
 * after a disconnect.
 */
function encodeMessage(message: NotificationMessage): Uint8Array {
  const id = message.type === "notification" ? `id: ${message.id}\n` : "";
  return encoder.encode(`event: ${message.type}\n${id}data: ${JSON.stringify(message)}\n\n`);
}

export interface EncodedPart {
  readonly bytes: Uint8Array;
  /** Id of the notification in it, if any. */
  readonly id: string | undefined;
}

/** Messages that are sent together: separately and joined. */
export interface EncodedMessages {
  readonly parts: readonly EncodedPart[];
  readonly joined: Uint8Array;
}

export function encodeMessages(messages: readonly NotificationMessage[]): EncodedMessages {
  const parts = messages.map((message) => ({
    bytes: encodeMessage(message),
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
