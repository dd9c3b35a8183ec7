/**
 * Holds conversations with a project over WebSockets, from outside.
 *
 * @module
 */
import assert from "node:assert/strict";
import { WebSocket } from "ws";
import type { Side } from "./_likeness.ts";
import type { Conversation } from "./_recipe.ts";

/** Maximum duration of a conversation, in milliseconds. */
const PATIENCE_MS = 30_000;

/**
 * Sends a string after each message, and checks the messages. If there are as many strings as
 * messages, the client begins, so the first string is sent immediately.
 */
export async function converse(
  { host, port }: Side,
  { path, sends, receives }: Conversation,
): Promise<void> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, {
    headers: { host: `${host}:${port}` },
  });
  const waiting = [...sends];
  const received: string[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const stop = (reason: string) =>
    reject(new Error(`${path}: ${reason} after ${JSON.stringify(received)}`));
  const speak = () => {
    const text = waiting.shift();
    if (text !== undefined) socket.send(text);
  };
  const patience = setTimeout(() => stop("no message"), PATIENCE_MS);
  socket.on("open", () => sends.length === receives.length && speak());
  socket.on("message", (message) => {
    received.push(String(message));
    if (received.length === receives.length) resolve();
    else speak();
  });
  socket.on("error", (error) => stop(error.message));
  socket.on("close", () => stop("closed"));
  try {
    await promise;
  } finally {
    clearTimeout(patience);
    socket.terminate();
  }
  for (const [at, pattern] of receives.entries()) {
    assert.match(received[at]!, new RegExp(pattern), `${path}: ${JSON.stringify(received)}`);
  }
}
