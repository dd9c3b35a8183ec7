/** @module Finds free ports for programs that cannot choose one themselves. */

/**
 * Ports below the ephemeral ports (32768 and up on Linux, 49152 and up elsewhere). No connection
 * and no listener on port 0 can therefore take a port before the intended program does.
 */
const FIRST = 20_000;
const COUNT = 12_000;

const LOOPBACKS = ["127.0.0.1", "::1"] as const;

function isTaken(hostname: string, port: number): boolean {
  try {
    Deno.listen({ hostname, port }).close();
    return false;
  } catch (error) {
    // Machines without IPv6 have no `::1`.
    return error instanceof Deno.errors.AddrInUse;
  }
}

/**
 * Returns a loopback port without a listener. `random` returns a number from 0 (inclusive) to 1
 * (exclusive).
 */
export function unusedPort(random: () => number = Math.random): number {
  for (;;) {
    const port = FIRST + Math.floor(random() * COUNT);
    if (!LOOPBACKS.some((hostname) => isTaken(hostname, port))) return port;
  }
}
