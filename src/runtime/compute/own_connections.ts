/**
 * @module The path from a server to itself. A server listens on a Unix socket. If its code connects
 * to the port that it believes to be its own, the connection arrives here, at a loopback port, and
 * is passed on to the Unix socket.
 *
 * Other programs on the machine cannot use the loopback port, because a connection is accepted only
 * if the server's process has announced the connection's source port.
 */
import type { LocalRoute } from "../kernel/local_routes.ts";
import { GREETING } from "./wire.ts";

/**
 * Maximum number of concurrent connections from a server to itself. Further connections are closed.
 */
const MAX_CONNECTIONS = 256;

/** How long a connection waits to be announced, in milliseconds. */
const ANNOUNCE_MS = 5000;

const HOST = "127.0.0.1";

const BUFFER_BYTES = 64 * 1024;

/**
 * Forwards data from one connection to another until the data ends, leaving out the first bytes.
 */
async function passOn(
  from: Deno.Conn,
  to: Deno.Conn,
  skipped = 0,
): Promise<void> {
  const buffer = new Uint8Array(BUFFER_BYTES);
  for (let left = skipped;;) {
    const read = await from.read(buffer);
    if (read === null) break;
    const start = Math.min(left, read);
    left -= start;
    for (let at = start; at < read;) at += await to.write(buffer.subarray(at, read));
  }
  await to.closeWrite();
}

export class OwnConnections {
  /** Whether the server sends a greeting over each connection; only the platform expects one. */
  greets = false;
  readonly #listener: Deno.TcpListener;
  readonly #open = new Set<Deno.Conn>();
  /**
   * Announced ports from which no connection has arrived yet, and connections that have not been
   * announced yet.
   */
  readonly #waiting = new Map<number, "announced" | ((isAnnounced: boolean) => void)>();

  readonly #dial: () => Promise<Deno.Conn>;

  /** @param dial opens a connection to the server */
  constructor(dial: () => Promise<Deno.Conn>) {
    this.#dial = dial;
    this.#listener = Deno.listen({ hostname: HOST, port: 0 });
    this.#accept().catch(() => {});
  }

  /** Returns the route of a server's own port. */
  routeOf(port: number): LocalRoute {
    return { port, to: { host: HOST, port: this.#listener.addr.port }, isAnnounced: true };
  }

  /** Allows the connection from a source port. */
  announce(port: number): void {
    const waiting = this.#waiting.get(port);
    if (typeof waiting === "function") return waiting(true);
    if (this.#waiting.size < MAX_CONNECTIONS) this.#waiting.set(port, "announced");
  }

  close(): void {
    this.#listener.close();
    for (const waiting of [...this.#waiting.values()]) {
      if (typeof waiting === "function") waiting(false);
    }
    for (const conn of [...this.#open]) this.#end(conn);
  }

  async #accept(): Promise<void> {
    for await (const conn of this.#listener) {
      if (this.#open.size >= 2 * MAX_CONNECTIONS) conn.close();
      else this.#serve(conn).catch(() => {}).finally(() => this.#end(conn));
    }
  }

  async #serve(conn: Deno.TcpConn): Promise<void> {
    this.#open.add(conn);
    if (!await this.#isAnnounced(conn.remoteAddr.port)) return;
    const server = await this.#dial();
    this.#open.add(server);
    try {
      const greeting = this.greets ? GREETING.length : 0;
      await Promise.all([passOn(conn, server), passOn(server, conn, greeting)]);
    } finally {
      this.#end(server);
    }
  }

  #isAnnounced(port: number): boolean | Promise<boolean> {
    if (this.#waiting.delete(port)) return true;
    return new Promise((resolve) => {
      const settle = (isAnnounced: boolean): void => {
        clearTimeout(timer);
        this.#waiting.delete(port);
        resolve(isAnnounced);
      };
      const timer = setTimeout(() => settle(false), ANNOUNCE_MS);
      this.#waiting.set(port, settle);
    });
  }

  #end(conn: Deno.Conn): void {
    if (!this.#open.delete(conn)) return;
    try {
      conn.close();
    } catch { /* its streams have closed it */ }
  }
}
