/** @module Accepts connections, even when the system runs out of file descriptors. */
import { setTimeout as delay } from "node:timers/promises";

/** Initial and maximum pause after a failed accept, in milliseconds. */
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 1000;

interface AcceptOptions {
  /** Aborted when the listener is closed. */
  readonly closed: AbortSignal;
  take(client: Deno.TcpConn): void;
  onTrouble(message: string): void;
}

/** Passes each client to `take`. Resolves when the listener is closed. */
export async function acceptClients(
  listener: Deno.TcpListener,
  { closed, take, onTrouble }: AcceptOptions,
): Promise<void> {
  let pauseMs = FIRST_PAUSE_MS;
  while (!closed.aborted) {
    try {
      take(await listener.accept());
      pauseMs = FIRST_PAUSE_MS;
    } catch (error) {
      if (closed.aborted) return;
      if (pauseMs === FIRST_PAUSE_MS) onTrouble(`Cannot accept database connections: ${error}`);
      await delay(pauseMs, undefined, { signal: closed }).catch(() => {});
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    }
  }
}
