/**
 * How many sockets listen on a port, as Linux shows it: one for each edge thread.
 *
 * @module
 */

/** State of a listening socket in `/proc/net/tcp`. */
const LISTENING = "0A";

/** Counts the sockets of all processes that listen on the port. */
export function listeningSockets(port: number): number {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const tables = ["/proc/net/tcp", "/proc/net/tcp6"].map((path) => Deno.readTextFileSync(path));
  return tables.flatMap((table) => table.split("\n")).filter((line) => {
    const [, local, , state] = line.trim().split(/\s+/);
    return state === LISTENING && local?.endsWith(suffix) === true;
  }).length;
}
