/**
 * A fault of Deno 2.6, the runtime of the compiled program: `node:net` keeps reading a closed
 * socket, and ends the process by a rejection that nobody can catch.
 *
 * @module
 */

/** The module in which the runtime reads `node:net` sockets. */
const READS = "ext:deno_node/internal_binding/stream_wrap.ts";

/** Whether an error came from reading a socket that is closed already. */
export function isClosedSocketRead(error: unknown): boolean {
  return error instanceof TypeError && error.message.includes("Deno.internal.rid") &&
    error.stack?.includes(READS) === true;
}

let isForgiving = false;

/** Lets such a read only end the socket, which reports itself that it is closed. */
export function forgiveClosedSocketReads(): void {
  if (isForgiving) return;
  isForgiving = true;
  globalThis.addEventListener("unhandledrejection", (event) => {
    if (isClosedSocketRead(event.reason)) event.preventDefault();
  });
}
