/**
 * @module Works around a bug in Deno 2.7: `node:net` keeps reading from a closed socket. This
 * causes a rejection that nothing can catch and that crashes the process.
 */

/** The module in which the runtime reads `node:net` sockets. */
const READS = "ext:deno_node/internal_binding/stream_wrap.ts";

/** Returns whether an error came from reading a socket that has already been closed. */
export function isClosedSocketRead(error: unknown): boolean {
  return error instanceof TypeError && error.message.includes("Deno.internal.rid") &&
    error.stack?.includes(READS) === true;
}

let isForgiving = false;

/**
 * Prevents a read from a closed socket from crashing the process. The socket itself reports that it
 * has closed.
 */
export function forgiveClosedSocketReads(): void {
  if (isForgiving) return;
  isForgiving = true;
  globalThis.addEventListener("unhandledrejection", (event) => {
    if (isClosedSocketRead(event.reason)) event.preventDefault();
  });
}
