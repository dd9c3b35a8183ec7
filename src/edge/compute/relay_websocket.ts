/** @module Relays a WebSocket message by message, at the pace of the slower peer. */
import type { ComputeSocket } from "../../runtime/mod.ts";
import type { ClientSocket } from "../request/client_request.ts";

/** Maximum number of bytes waiting for a client before its server is paused. */
const HIGH_WATER_BYTES = 1024 * 1024;
/** How often the client's backlog is checked while the server is paused, in milliseconds. */
const POLL_MILLISECONDS = 10;
/** Maximum number of bytes waiting for a server. A client that sends more is disconnected. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;
/**
 * Maximum size of a message if it is the only one waiting, in bytes. The same limit applies to
 * messages from servers.
 */
const MAX_ALONE_BYTES = 32 * 1024 * 1024;
/** Memory that a waiting message uses in addition to its content, in bytes. */
const MESSAGE_BYTES = 512;
/** "Try again later" (added to the registry of RFC 6455, 7.4). */
const TRY_AGAIN_LATER = 1013;

/** Maximum time for a client's connection to become a WebSocket, in milliseconds. */
const OPEN_MS = 5000;

const NORMAL = 1000;
const NO_STATUS = 1005;

/**
 * Returns the code to use when forwarding a close. Codes that concern a single connection (1001 to
 * 1015) cannot be sent on another, and must not look like a normal close, so they become 4001 to
 * 4015.
 */
export function forwardedCloseCode(code: number): number | undefined {
  if (code === NORMAL || (code >= 3000 && code < 5000)) return code;
  if (code === NO_STATUS) return undefined;
  return code > NORMAL && code < 1016 ? code + 3000 : NORMAL;
}

/**
 * Returns the reason for a close, or "" if it is longer than 123 bytes (RFC 6455, 5.5).
 */
function forwardedReason(reason: string): string {
  return new TextEncoder().encode(reason).byteLength <= 123 ? reason : "";
}

function sizeOf(message: string | ArrayBuffer): number {
  return MESSAGE_BYTES + (typeof message === "string" ? message.length : message.byteLength);
}

function close(
  socket: { close(code?: number, reason?: string): void },
  { code, reason }: { readonly code: number; readonly reason: string },
): void {
  const passed = forwardedCloseCode(code);
  if (passed === undefined) socket.close();
  else socket.close(passed, forwardedReason(reason));
}

/**
 * Relays messages to the server, in order. If the backlog exceeds the limit, the connection is
 * closed.
 */
function relayToServer(client: ClientSocket, server: ComputeSocket, closed: () => void): void {
  let waiting = 0;
  let sent: Promise<void> | undefined;
  const giveUp = () => close(client, { code: TRY_AGAIN_LATER, reason: "" });
  const deliver = async (message: string | ArrayBuffer) => {
    await server.send(typeof message === "string" ? message : new Uint8Array(message));
    waiting -= sizeOf(message);
  };
  client.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
    const size = sizeOf(data);
    const maximum = waiting === 0 ? MAX_ALONE_BYTES + MESSAGE_BYTES : MAX_WAITING_BYTES;
    waiting += size;
    if (waiting > maximum) {
      client.onmessage = null;
      server.close(NORMAL);
      return giveUp();
    }
    sent = (sent ?? Promise.resolve()).then(() => deliver(data)).catch(giveUp);
  };
  client.onclose = ({ code, reason }) => {
    closed();
    const end = () => close(server, { code, reason });
    (sent ?? Promise.resolve()).then(end, end);
  };
  // The next close event reports the error. Before the socket is open, there is no close event.
  client.onerror = () => {
    if (client.readyState === WebSocket.CONNECTING) server.close();
  };
}

async function hasRoom(client: ClientSocket): Promise<void> {
  while (client.readyState === WebSocket.OPEN && client.bufferedAmount > HIGH_WATER_BYTES) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MILLISECONDS));
  }
}

async function relayToClient(server: ComputeSocket, client: ClientSocket): Promise<void> {
  for (;;) {
    const { done, value } = await server.messages.next();
    if (done) return close(client, value);
    if (client.readyState !== WebSocket.OPEN) continue;
    client.send(typeof value === "string" ? value : value.slice());
    if (client.bufferedAmount > HIGH_WATER_BYTES) await hasRoom(client);
  }
}

/**
 * Relays messages both ways until one of the two sockets closes, then closes the other. The
 * server's messages wait until the client's socket is open. Deno may not report that a client
 * disconnected before then, so the server's socket is closed after `openMs`.
 */
export function relayWebSocket(
  client: ClientSocket,
  server: ComputeSocket,
  openMs = OPEN_MS,
): void {
  client.binaryType = "arraybuffer";
  const timer = setTimeout(() => server.close(), openMs);
  Deno.unrefTimer(timer);
  relayToServer(client, server, () => clearTimeout(timer));
  client.onopen = () => {
    clearTimeout(timer);
    void relayToClient(server, client).catch(() => close(client, { code: 1011, reason: "" }));
  };
}
