/**
 * Stopping a server that others may still talk to.
 *
 * @module
 */
import { setTimeout as delay } from "node:timers/promises";

/** Timeout for running requests. */
const PATIENCE_MS = 2000;

/**
 * Accepts no more connections and waits for running requests, for two seconds at most. `shutdown()`
 * alone may never return while clients send one request after the other (Deno 2.7.11), even long
 * after they are gone.
 */
export async function stopServer(server: Pick<Deno.HttpServer, "shutdown">): Promise<void> {
  const late = new AbortController();
  const isLate = delay(PATIENCE_MS, undefined, { signal: late.signal }).catch(() => {});
  await Promise.race([server.shutdown(), isLate]);
  late.abort();
}
