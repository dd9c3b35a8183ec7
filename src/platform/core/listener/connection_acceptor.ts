/**
 * Accepts connections from TCP and TLS listeners, and serves HTTP on each of
 * them within limits.
 *
 * @module
 */
import { setTimeout as delay } from "node:timers/promises";
import { acceptAll } from "./accept_loop.ts";
import { ConnectionTable } from "./connection_table.ts";
import { asLast } from "./last_answer.ts";
import { SocketCloser } from "./shut_down_sockets.ts";
import { type AcceptedConn, HttpConnection, isTls } from "./http_connection.ts";
import { findInternal, type ServeConnection } from "./serve_connection.ts";
import { ThrottledLog } from "./throttled_log.ts";
import type { ConnectionHandler, ConnectionLimits } from "./types.ts";

/** How often connections that ran out of time are looked for, in milliseconds. */
const SWEEP_MS = 500;
/** Idle connections that are closed when the process runs out of descriptors. */
const EVICTED_AT_SHORTAGE = 16;
/** How often it is checked whether descriptors are free again, in milliseconds. */
const LOOK_MS = 20;
/**
 * How long new connections have for their first request once no others are accepted: their clients
 * do not know of the shutdown yet, and may not retry.
 */
const NEWCOMER_MS = 1000;
/** Turns of the event loop in which connections and requests that had arrived are read. */
const READING_TURNS = 5;
/** At the limit of connections, idle ones up to this part of the limit are closed. */
const EVICTED_PART = 1 / 32;

export interface ConnectionAcceptorOptions {
  readonly limits: ConnectionLimits;
  /** Makes the response if a handler throws; also called for bodies that break off. */
  readonly onError: (error: unknown) => Response;
  /** The group that connections of an address are counted in; `undefined` for exempt ones. */
  groupOf(address: string): string | undefined;
  /** Whether so many descriptors are open that the rest is reserved for other uses. */
  isShort(): boolean;
  /** Called, at a limited rate, with a warning about connections that were refused or delayed. */
  onShortage(message: string): void;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
}

/** A listener and the handler of its connections. */
export interface ListenerSource {
  readonly listener: Deno.TcpListener | Deno.TlsListener;
  readonly handler: ConnectionHandler;
  /** Aborted when the listener is closed. */
  readonly closed: AbortSignal;
}

/** All listeners of a platform share one acceptor, and so its limits. */
export class ConnectionAcceptor {
  readonly #serve: ServeConnection;
  readonly #table: ConnectionTable;
  readonly #warnings: ThrottledLog;
  readonly #closer = new SocketCloser();
  readonly #finishing = new Set<Promise<void>>();
  readonly #sweeping: ReturnType<typeof setInterval>;
  #isLeaving = false;
  /** Wakes the accept loops that wait for room. */
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

  /** The number of open connections. */
  get size(): number {
    return this.#table.size;
  }

  get limits(): ConnectionLimits {
    return this.#options.limits;
  }

  /** Serves the connections of a listener; resolves when it is closed. */
  async serve(source: ListenerSource): Promise<void> {
    const { listener, closed } = source;
    const handler: ConnectionHandler = (request, connection) => {
      const answer = source.handler(request, connection);
      return this.#isLeaving ? asLast(answer) : answer;
    };
    closed.addEventListener("abort", () => this.#wake(), { once: true });
    await acceptAll<AcceptedConn>({
      accept: () => listener.accept(),
      isClosed: () => closed.aborted,
      room: () => this.#hasRoom() ? undefined : this.#makeRoom(closed),
      take: (conn) => this.#admit(conn, handler),
      onShortage: (error) => {
        this.#table.evict(EVICTED_AT_SHORTAGE);
        this.#warnings.note(`Cannot accept connections: ${error}`);
      },
      pause: (milliseconds) => delay(milliseconds),
    });
  }

  /**
   * Keeps responding, with the last response of each connection. Resolves when everything that has
   * arrived is read: requests on open connections, and connections themselves.
   */
  async leave(): Promise<void> {
    this.#isLeaving = true;
    for (let turn = 0; turn < READING_TURNS; turn++) await delay(0);
  }

  /**
   * Gives running requests that many milliseconds to finish, and new connections a moment for their
   * first one, then closes the rest. Close the listeners first.
   */
  async drain(milliseconds: number): Promise<void> {
    this.#isLeaving = true;
    this.#table.finish();
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
        ? `All ${maxConnections} connections are in use. Idle ones are closed for new ones. Raise the limit with --max-connections`
        : "Few file descriptors are left. Idle connections are closed for new ones",
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

  #admit(conn: AcceptedConn, handler: ConnectionHandler): void {
    const address = conn.remoteAddr.hostname;
    const table = this.#table;
    const entry = table.admit(this.#options.groupOf(address), isTls(conn) ? "handshake" : "head");
    if (entry === undefined) {
      if (isTls(conn)) this.#closer.add(conn.remoteAddr);
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
      onError,
      closer: this.#closer,
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
