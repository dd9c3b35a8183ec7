/**
 * Manages connections to a PostgreSQL cluster's primary. Queries are retried after a failover.
 * @module
 */
import type net from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import postgres, { type Sql } from "postgres";
import { forgiveClosedSocketReads } from "../lib/closed_socket_reads.ts";
import type { Patience } from "./patience.ts";
import {
  AttemptLateError,
  describeFault,
  isConnectionSpoilt,
  isPassing,
  StoreUnavailableError,
} from "./server_fault.ts";
import type { StoreAddress } from "./store_address.ts";
import { StoreSocket } from "./store_socket.ts";

const MOST_CONNECTIONS = 10;
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;

/** Opens sockets to the servers in turn. Can close all of them together. */
class Sockets {
  readonly #open = new Set<net.Socket>();
  #closed = false;
  #next: number;

  readonly #address: StoreAddress;

  /** @param first index of the server to try first */
  constructor(address: StoreAddress, first: number) {
    this.#address = address;
    this.#next = first;
  }

  /** Index of the server to try next. */
  get next(): number {
    return this.#next;
  }

  /** Starts to connect to the next server, and returns the socket. */
  readonly connect = (): net.Socket => {
    if (this.#closed) throw new AttemptLateError(0);
    const { hosts, socket: path } = this.#address;
    const socket = new StoreSocket();
    this.#open.add(socket);
    socket.once("close", () => this.#open.delete(socket));
    if (path !== undefined) return socket.connect(path);
    const { hostname, port } = hosts[this.#next++ % hosts.length]!;
    // The library checks that the certificate is valid for this name.
    Object.assign(socket, { host: hostname });
    socket.setNoDelay(true);
    return socket.connect(port, hostname);
  };

  close(): void {
    this.#closed = true;
    for (const socket of this.#open) socket.destroy();
  }
}

/** A pool of connections to the cluster's primary. */
class Pool {
  readonly sql: Sql;
  readonly #sockets: Sockets;

  constructor(
    address: StoreAddress,
    { connectMs, most, first }: Pick<Patience, "connectMs"> & {
      readonly most: number;
      readonly first: number;
    },
  ) {
    this.#sockets = new Sockets(address, first);
    const options: postgres.Options<Record<never, never>> & { socket: () => net.Socket } = {
      user: address.user,
      database: address.database,
      password: address.password ?? "",
      ssl: address.tls === undefined ? false : sslOptions(address.tls),
      max: most,
      socket: this.#sockets.connect,
      target_session_attrs: "primary",
      connect_timeout: connectMs / 1000,
      backoff: () => 0,
      fetch_types: false,
      onnotice: () => {},
      connection: { application_name: "svc", default_transaction_isolation: "read committed" },
      types: { bytea: BYTES },
    };
    this.sql = postgres(options);
  }

  /** Index of the server that another pool should try first. */
  get next(): number {
    return this.#sockets.next;
  }

  /** Calls a function on each notification until the pool is closed. Failures are not reported. */
  listen(channel: string, onNotify: () => void): void {
    this.sql.listen(channel, onNotify).catch(() => {});
  }

  /** Closes all connections. Running queries fail. */
  destroy(): void {
    this.#sockets.close();
    this.sql.end({ timeout: 0 }).catch(() => {});
  }

  /** Closes the pool after waiting for running queries. */
  async close(): Promise<void> {
    await this.sql.end({ timeout: 5 });
    this.#sockets.close();
  }
}

function sslOptions({ caCerts }: NonNullable<StoreAddress["tls"]>) {
  return caCerts.length === 0
    ? { rejectUnauthorized: true }
    : { rejectUnauthorized: true, ca: [...caCerts] };
}

/**
 * A custom type for bytes. The library's own type returns buffers that are views of a larger
 * buffer.
 */
const BYTES = {
  to: 17,
  from: [17],
  serialize: (bytes: Uint8Array) => `\\x${bytes.toHex()}`,
  parse: (text: string) => Uint8Array.fromHex(text.slice(2)),
};

export class Connections {
  #pool: Pool;
  #closed = false;
  #listening: { readonly channel: string; readonly onNotify: () => void } | undefined;
  /** Start time of the first attempt that failed after the last successful one. */
  #failingSince: number | undefined;

  readonly #address: StoreAddress;
  readonly #patience: Patience;
  readonly #most: number;

  constructor(address: StoreAddress, patience: Patience, most: number = MOST_CONNECTIONS) {
    this.#address = address;
    this.#patience = patience;
    this.#most = most;
    forgiveClosedSocketReads();
    this.#pool = new Pool(address, { ...patience, most, first: 0 });
  }

  /** True from a failed attempt until the next successful one. */
  get isFailing(): boolean {
    return this.#failingSince !== undefined;
  }

  /**
   * Retries a repeatable query for a while after connection failures. After that, each call makes a
   * single attempt. @throws {StoreUnavailableError}
   */
  async run<T>(query: (sql: Sql) => Promise<T>): Promise<T> {
    for (let pauseMs = FIRST_PAUSE_MS;; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      const started = performance.now();
      try {
        const answer = await this.#attempt(query);
        this.#failingSince = undefined;
        return answer;
      } catch (error) {
        if (!isPassing(error, this.#address.hosts.length)) throw error;
        this.#failingSince ??= started;
        const isOver = performance.now() + pauseMs > this.#failingSince + this.#patience.failureMs;
        if (isOver || this.#closed) {
          throw new StoreUnavailableError(describeFault(error), { cause: error });
        }
      }
      await delay(pauseMs);
    }
  }

  /**
   * Runs queries on a snapshot of the database without a time limit. The queries are not retried.
   */
  async inSnapshot<T>(query: (sql: Sql) => Promise<T>): Promise<T> {
    let result: T;
    await this.#pool.sql.begin("isolation level repeatable read read only", async (sql) => {
      result = await query(sql as unknown as Sql);
    });
    return result!;
  }

  /**
   * Calls a function on each notification. Notifications may be missed when a connection is lost.
   */
  listen(channel: string, onNotify: () => void): void {
    this.#listening = { channel, onNotify };
    this.#pool.listen(channel, onNotify);
  }

  async #attempt<T>(query: (sql: Sql) => Promise<T>): Promise<T> {
    const pool = this.#pool;
    const { promise: late, reject } = Promise.withResolvers<never>();
    const { attemptMs } = this.#patience;
    const timer = setTimeout(() => reject(new AttemptLateError(attemptMs)), attemptMs);
    const running = query(pool.sql);
    try {
      return await Promise.race([running, late]);
    } catch (error) {
      running.catch(() => {});
      if (isConnectionSpoilt(error)) this.#replace(pool);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  #replace(pool: Pool): void {
    if (this.#pool !== pool || this.#closed) return;
    // Starts with a server that has not just failed, if there are several servers.
    this.#pool = new Pool(this.#address, { ...this.#patience, most: this.#most, first: pool.next });
    pool.destroy();
    if (this.#listening !== undefined) {
      this.#pool.listen(this.#listening.channel, this.#listening.onNotify);
    }
  }

  /** Closes all connections after waiting for running queries. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#pool.close();
  }
}
