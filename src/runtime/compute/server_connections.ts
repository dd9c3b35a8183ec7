/**
 * @module The connections to one server. If no connection is idle, a request takes the first
 * connection that another request releases or that the server accepts, because a busy server may be
 * slow to accept a new connection.
 */
import { ConnectionPool } from "../http1/connection_pool.ts";
import { type ConnectionTimes, Http1Connection } from "../http1/connection.ts";
import { OutboundError } from "../http1/errors.ts";

const MAX_IDLE = 256;

/**
 * How long a new connection waits for a greeting, in milliseconds. After that, the connection is
 * used without a greeting.
 */
const GREETING_MS = 1000;

interface Waiting {
  readonly resolve: (connection: Http1Connection) => void;
  readonly reject: (error: unknown) => void;
}

interface ServerConnectionsOptions {
  readonly dial: () => Promise<Deno.Conn>;
  readonly times: ConnectionTimes;
}

export class ServerConnections {
  /** True if the server sends a greeting over each connection that it accepts. */
  greets = false;
  readonly #idle = new ConnectionPool({ maxIdle: MAX_IDLE, maxIdlePerOrigin: MAX_IDLE });
  /** Requests that wait for a connection, in order. */
  readonly #waiting: Waiting[] = [];
  /** Number of connections that are being opened for the waiting requests. */
  #opening = 0;
  /** Connections to the server's current address. */
  #current = new WeakSet<Http1Connection>();

  readonly #options: ServerConnectionsOptions;

  constructor(options: ServerConnectionsOptions) {
    this.#options = options;
  }

  /**
   * Resolves with a connection once one is available. Rejects with an `OutboundError` if the server
   * accepts no connection.
   */
  take(): Http1Connection | Promise<Http1Connection> {
    const idle = this.#idle.take("");
    if (idle !== undefined) return idle;
    const { promise, resolve, reject } = Promise.withResolvers<Http1Connection>();
    this.#waiting.push({ resolve, reject });
    if (this.#opening < this.#waiting.length) void this.#openOne();
    return promise;
  }

  /** Takes back a connection that can carry another request. */
  give(connection: Http1Connection): void {
    if (!this.#current.has(connection)) return connection.close();
    const next = this.#waiting.shift();
    if (next === undefined) this.#idle.give("", connection);
    else next.resolve(connection);
  }

  /**
   * Opens a new connection.
   *
   * @throws OutboundError `connect_failed`, if the server did not accept it
   */
  async open(): Promise<Http1Connection> {
    const { dial, times } = this.#options;
    const current = this.#current;
    let connection: Http1Connection | undefined;
    try {
      connection = new Http1Connection(await dial(), times);
      if (this.greets) await connection.greeted(GREETING_MS);
      current.add(connection);
      return connection;
    } catch (cause) {
      connection?.close();
      throw new OutboundError("connect_failed", "The server does not accept connections", {
        cause,
      });
    }
  }

  /** Closes idle connections immediately, and other connections when their requests are over. */
  close(): void {
    this.#current = new WeakSet();
    this.#idle.closeAll();
  }

  async #openOne(): Promise<void> {
    this.#opening++;
    try {
      const connection = await this.open();
      this.#opening--;
      this.give(connection);
      // If the server's address has changed, `give()` closed the connection, and requests are still
      // waiting.
      if (this.#opening < this.#waiting.length) void this.#openOne();
    } catch (error) {
      this.#opening--;
      this.#waiting.shift()?.reject(error);
    }
  }
}
