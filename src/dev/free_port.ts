/**
 * Ports that nobody listens on.
 *
 * @module
 */

/** A port that is free now. */
export function freePort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  return port;
}
