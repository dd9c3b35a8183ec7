/** @module Sends the responses of the backend and of the platform to the clients. */
import type { Client } from "./client.ts";
import {
  COPY_FAIL,
  type ErrorFields,
  errorResponse,
  type Message,
  readyForQuery,
} from "./messages.ts";

/** The destination of the backend's messages. */
export interface Outlet {
  deliver(client: number, bytes: Uint8Array): void;
  /** Called when the client's session has ended. */
  ended(client: number): void;
  /** Waits for more input. Called while a statement is reading from its client. */
  wait(): void;
  /** Reports how many bytes from a client have been handled. */
  taken(client: number, bytes: number): void;
}

/** Minimum number of bytes of an incomplete message that are taken at a time. */
const PART_BYTES = 64 * 1024;

/** Removes a client's next message from its inbox, and reports its bytes as handled. */
export function takeMessage(client: Client, outlet: Outlet): Message | undefined {
  const message = client.inbox.take();
  if (message === undefined) return undefined;
  const { byteLength } = message.bytes;
  const ahead = Math.min(client.takenAhead, byteLength);
  client.takenAhead -= ahead;
  if (byteLength > ahead) outlet.taken(client.id, byteLength - ahead);
  return message;
}

/** Reports the received bytes of a large message as handled. The platform then sends the rest. */
export function takeAhead(client: Client, outlet: Outlet): void {
  const { id, inbox, takenAhead } = client;
  const part = inbox.size - takenAhead;
  if (inbox.isWhole || part < PART_BYTES) return;
  client.takenAhead += part;
  outlet.taken(id, part);
}

/** Waits for more bytes for a statement that reads from its client. */
export function readMore(client: Client, outlet: Outlet): Uint8Array {
  for (;;) {
    if (client.isGone) return COPY_FAIL;
    const message = takeMessage(client, outlet);
    if (message !== undefined) return message.bytes;
    outlet.wait();
  }
}

/** Ends a session with an error. */
export function endWith(client: Client, error: ErrorFields, outlet: Outlet): void {
  outlet.deliver(client.id, errorResponse(error));
  client.isGone = true;
}

/** Responds to a client's next messages with an error, as the backend would. */
export function refuse(client: Client, error: ErrorFields, outlet: Outlet): void {
  outlet.deliver(client.id, errorResponse(error));
  if (client.inbox.nextType === "Q" || client.inbox.nextType === "F") {
    takeMessage(client, outlet);
    outlet.deliver(client.id, readyForQuery("I"));
  } else {
    client.isSkipping = true;
    dropSkipped(client, outlet);
  }
}

/** Drops requests to flush, because all data has already been sent. */
export function dropFlushes(client: Client, outlet: Outlet): void {
  while (!client.isMidBatch && client.inbox.nextType === "H" && client.inbox.isWhole) {
    if (takeMessage(client, outlet) === undefined) return;
  }
}

/** Skips messages after an error outside the backend, until `Sync`. */
export function dropSkipped(client: Client, outlet: Outlet): void {
  while (client.isSkipping) {
    const message = takeMessage(client, outlet);
    if (message === undefined) return;
    if (message.type === "X") client.isGone = true;
    if (message.type !== "S") continue;
    client.isSkipping = false;
    outlet.deliver(client.id, readyForQuery("I"));
  }
}
