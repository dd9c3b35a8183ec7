/** Accepts TCP and TLS connections, and serves HTTP on each within limits. @module */
import { setTimeout as delay } from "node:timers/promises";
import { acceptAll } from "./accept_loop.ts";
import { ConnectionTable } from "./connection_table.ts";
import { EmptySockets, SocketCloser } from "./shut_down_sockets.ts";
import { type AcceptedConn, HttpConnection, isTls } from "./http_connection.ts";
import { findInternal, type ServeConnection } from "./serve_connection.ts";
import { ThrottledLog } from "./throttled_log.ts";
import type { ConnectionHandler, ConnectionLimits } from "./types.ts";

/** How often to check for connections that ran out of time, in milliseconds. */
const SWEEP_MS = 500;
/** Number of idle connections to close when the process runs out of file descriptors. */
const EVICTED_AT_SHORTAGE = 16;
/** How often to check whether file descriptors are free again, in milliseconds. */
const LOOK_MS = 20;
/**
 * How long new connections have for their first request at shutdown, in milliseconds. Their clients
 * may not retry.
 */
const NEWCOMER_MS = 1000;
/**
 * How often to look for connections without requests after accepting has stopped, in milliseconds.
 */
const FINISH_MS = 50;
/** Number of event loop turns for reading connections and requests that have already arrived. */
const READING_TURNS = 5;
/**
 * Maximum fraction of the connections to close when the limit is reached. Only idle connections are
 * closed.
 */
const EVICTED_PART = 1 / 32;

export interface ConnectionAcceptorOptions {
  readonly limits: ConnectionLimits;
  /** Creates the response if a handler throws. Also called if a body ends prematurely. */
  readonly onError: (error: unknown) => Response;
  /**
   * Returns the group in which an address's connections are counted; `undefined` for exempt
   * addresses.
   */
  groupOf(address: string): string | undefined;
  /** Returns whether so many file descriptors are open that no more may be used for connections. */
  isShort(): boolean;
  /** Called, at a limited rate, with a warning about connections that were refused or delayed. */
  onShortage(message: string): void;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
}

interface ListenerSource {
  readonly listener: Deno.TcpListener | Deno.TlsListener;
  readonly handler: ConnectionHandler;
  /** Whether one connection can serve many clients. */
  readonly isOfMany?: boolean | undefined;
  /** Aborted when the listener is closed. */
  readonly closed: AbortSignal;
}

/** All listeners of a platform share one acceptor, and therefore its limits. */
export class ConnectionAcceptor {
  readonly #serve: ServeConnection;
  readonly #table: ConnectionTable;
  readonly #warnings: ThrottledLog;
  readonly #closer = new SocketCloser();
  readonly #emptySockets = new EmptySockets();
  readonly #finishing = new Set<Promise<void>>();
  readonly #sweeping: ReturnType<typeof setInterval>;
  #isLeaving = false;
  /** Wakes the accept loops that are waiting for a free connection. */
  #freed = Promise.withResolvers<void>();

  readonly #options: ConnectionAcceptorOptions;

  /** @throws {ConnectionsUnsupportedError} on a runtime that cannot serve single connections. */
  constructor(options: ConnectionAcceptorOptions) {
    this.#options = options;
    const { limits, now, onShortage } = options;
    this.#serve = findInternal<ServeConnection>("serveHttpOnConnection");
    this.#table = new ConnectionTable({ limits, now });
    this.#warnings = new ThrottledLog({ now, log: onShortage });
    this.#sweeping = setInterval(() => this.#table.sweep(), SWEEP_MS);
  }

  get size(): number {
    return this.#table.size;
  }

  get limits(): ConnectionLimits {
    return this.#options.limits;
  }

  /** Serves a listener's connections. Resolves when the listener is closed. */
  async serve(source: ListenerSource): Promise<void> {
    const { listener, closed } = source;
    closed.addEventListener("abort", () => this.#wake(), { once: true });
    await acceptAll<AcceptedConn>({
      accept: () => listener.accept(),
      isClosed: () => closed.aborted,
      room: () => this.#hasRoom() ? undefined : this.#makeRoom(closed),
      take: (conn) => this.#admit(conn, source),
      onShortage: (error) => {
        this.#table.evict(EVICTED_AT_SHORTAGE);
        this.#warnings.note(`Cannot accept connections: ${error}`);
      },
      pause: (milliseconds) => delay(milliseconds),
    });
  }

  /**
   * Makes each subsequent response the last one on its connection. Resolves once all connections
   * that have already arrived are accepted and their requests are read.
   */
  async leave(): Promise<void> {
    this.#isLeaving = true;
    for (let turn = 0; turn < READING_TURNS; turn++) await delay(0);
  }

  /**
   * Gives running requests the given number of milliseconds to finish, and new connections a moment
   * to send their first request. After that, closes all connections. Close the listeners first.
   */
  async drain(milliseconds: number): Promise<void> {
    this.#isLeaving = true;
    this.#table.finish();
    const finishing = setInterval(() => this.#table.finish(), FINISH_MS);
    const late = new AbortController();
    const { signal } = late;
    const newcomers = delay(Math.min(NEWCOMER_MS, milliseconds), undefined, { signal })
      .then(() => this.#table.finishNew(), () => {});
    await Promise.race([
      Promise.all(this.#finishing),
      delay(milliseconds, undefined, { signal }).catch(() => {}),
    ]);
    late.abort();
    await newcomers;
    clearInterval(finishing);
    clearInterval(this.#sweeping);
    this.#table.cutOff();
    await Promise.all(this.#finishing);
  }

  #hasRoom(): boolean {
    return !this.#table.isFull && !this.#options.isShort();
  }

  async #makeRoom(closed: AbortSignal): Promise<void> {
    const { maxConnections } = this.#options.limits;
    this.#warnings.note(
      this.#table.isFull
        ? `All ${maxConnections} connections are in use. Idle ones are closed to make room. Raise the limit with --max-connections`
        : "Few file descriptors are left. Idle connections are closed to make room",
    );
    this.#table.evict(Math.ceil(maxConnections * EVICTED_PART));
    while (!closed.aborted && !this.#hasRoom()) {
      await Promise.race([this.#freed.promise, delay(LOOK_MS)]);
    }
  }

  #wake(): void {
    this.#freed.resolve();
    this.#freed = Promise.withResolvers();
  }

  #admit(conn: AcceptedConn, { handler, isOfMany = false }: ListenerSource): void {
    const address = conn.remoteAddr.hostname;
    const table = this.#table;
    const group = isOfMany ? undefined : this.#options.groupOf(address);
    const entry = table.admit(group, isTls(conn) ? "handshake" : "head");
    if (entry === undefined) {
      if (isTls(conn)) this.#closer.add(conn);
      conn.close();
      this.#warnings.note(
        `Refused a connection from ${address}: it reached --max-connections-per-address`,
      );
      return;
    }
    const { onError } = this.#options;
    const connection = new HttpConnection(conn, {
      serve: this.#serve,
      table,
      entry,
      handler,
      isLeaving: () => this.#isLeaving,
      onError,
      closer: this.#closer,
      emptySockets: this.#emptySockets,
      random: Math.random,
    });
    const finishing = connection.finished.then(() => void this.#finishing.delete(finishing));
    this.#finishing.add(finishing);
    const forget = (): void => {
      table.remove(entry);
      this.#wake();
    };
    connection.closed().then(forget, forget);
  }
}
