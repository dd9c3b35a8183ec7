/** @module Stops a server that may still have clients. */
import { setTimeout as delay } from "node:timers/promises";

/** Time to wait for requests in progress, in milliseconds. */
const PATIENCE_MS = 2000;

/**
 * Stops accepting connections, and waits at most two seconds for requests in progress. `shutdown()`
 * alone might not return while clients keep sending requests, or even long after they have
 * disconnected (Deno 2.7.11).
 */
export async function stopServer(server: Pick<Deno.HttpServer, "shutdown">): Promise<void> {
  const late = new AbortController();
  const isLate = delay(PATIENCE_MS, undefined, { signal: late.signal }).catch(() => {});
  await Promise.race([server.shutdown(), isLate]);
  late.abort();
}
