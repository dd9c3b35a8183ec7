/** @module Helpers for tests in which servers listen on the same port more than once. */
import { unusedPort } from "./unused_port.ts";

/** Enough attempts that no test fails because of bad luck. */
const ATTEMPTS = 20;

const isTaken = (error: unknown): boolean => (error as { code?: unknown })?.code === "EADDRINUSE";

/** Resolves once the server listens, and rejects if it cannot. */
export function listening(
  server: NodeJS.EventEmitter,
  listen: () => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("listening", resolve);
    server.once("error", reject);
    listen();
  });
}

/**
 * Calls `start` with an unused port, and retries with another port if that one has been taken. If
 * `start` fails, it must clean up after itself.
 */
export async function onUnusedPort<T>(start: (port: number) => Promise<T>): Promise<T> {
  for (let attempt = 1;; attempt++) {
    try {
      return await start(unusedPort());
    } catch (error) {
      if (!isTaken(error) || attempt === ATTEMPTS) throw error;
    }
  }
}
