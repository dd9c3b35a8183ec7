/**
 * Ports on this machine for programs that cannot use a port chosen by the system.
 *
 * @module
 */
import { until } from "../../../src/lib/_test_until.ts";
import { unusedPort } from "../../../src/lib/unused_port.ts";

/** Finds ports that are currently unused and that the system does not assign. */
export function freePorts(count: number): number[] {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(unusedPort());
  return [...ports];
}

/** Waits until a program listens on a port. Throws if the program exits first. */
export async function waitUntilOpen(port: number, lives: () => boolean): Promise<void> {
  await until(async () => {
    if (!lives()) throw new Error("The program has exited");
    const connection = await Deno.connect({ hostname: "127.0.0.1", port }).catch(() => undefined);
    connection?.close();
    return connection !== undefined;
  });
}
