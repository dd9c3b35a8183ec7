/** @module The single TCP port for all databases: a client's role determines its branch. */
import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { type BackendSession, EngineError } from "../types.ts";
import {
  authenticationOk,
  concatBytes,
  type ErrorFields,
  errorResponse,
} from "../wire/messages.ts";
import { closeQuietly, type Connection, ConnectionEnded, writeAll } from "../wire/connection.ts";
import { ProtocolError } from "../wire/frame_scanner.ts";
import { acceptClients } from "./accept_clients.ts";
import { CancelKeys } from "./cancel_keys.ts";
import { ClientSession } from "./client_session.ts";
import { GuessLimiter } from "./guess_limiter.ts";
import { HandshakeRefused, readOpening } from "./handshake.ts";
import { RunningBranches } from "./running_branches.ts";
import { type Arrival, signIn } from "./sign_in.ts";
import { type CertificatePair, TlsTerminator } from "./tls_terminator.ts";
import {
  type BranchAccess,
  type BranchDirectory,
  DEFAULT_LIMITS,
  type GatewayLimits,
} from "./types.ts";

class ConnectionCount {
  readonly #byGroup = new Map<string, number>();
  #all = 0;

  readonly #limits: Pick<GatewayLimits, "maxConnections" | "maxPerAddress">;
  readonly #groupOf: (address: string) => string | undefined;

  constructor(
    limits: Pick<GatewayLimits, "maxConnections" | "maxPerAddress">,
    groupOf: (address: string) => string | undefined,
  ) {
    this.#limits = limits;
    this.#groupOf = groupOf;
  }

  /**
   * Counts a connection.
   *
   * @returns a function to call when the connection closes, or `undefined` if there are too many
   * connections
   */
  enter(address: string): (() => void) | undefined {
    const group = this.#groupOf(address);
    const ofGroup = group === undefined ? 0 : this.#byGroup.get(group) ?? 0;
    if (this.#all >= this.#limits.maxConnections || ofGroup >= this.#limits.maxPerAddress) {
      return undefined;
    }
    this.#all++;
    if (group !== undefined) this.#byGroup.set(group, ofGroup + 1);
    return () => {
      this.#all--;
      if (group !== undefined) this.#leave(group);
    };
  }

  #leave(group: string): void {
    const left = (this.#byGroup.get(group) ?? 1) - 1;
    if (left === 0) this.#byGroup.delete(group);
    else this.#byGroup.set(group, left);
  }
}

/** Interval between checks for idle branches, in milliseconds. */
const SWEEP_MS = 5_000;

/** Maximum number of rejected clients that can receive a message at the same time. */
const MOST_TURNED_AWAY = 64;
const TURN_AWAY_MS = 1_000;

const fatal = (sqlState: string, message: string, hint?: string): ErrorFields => ({
  severity: "FATAL",
  sqlState,
  message,
  hint,
});

const STOPPING = fatal("57P01", "The platform is stopping", "Connect again in a moment.");
const ENDED = fatal(
  "57P01",
  "The platform ended the connection: the database was stopped or changed",
);
const TOO_MANY = fatal("53300", "Too many connections to this platform's databases");

export interface GatewayOptions {
  readonly directory: BranchDirectory;
  readonly limits?: Partial<GatewayLimits>;
  /**
   * Returns the group in which connections from an address are counted, or `undefined` if they are
   * exempt.
   */
  readonly groupOf?: (address: string) => string | undefined;
  /** The current certificate. Without one, there is no TLS. */
  readonly certificate?: () => Promise<CertificatePair | undefined>;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
  /** Called with messages for the operator, but never with SQL or passwords. */
  readonly onTrouble: (message: string) => void;
}

export class Gateway {
  /** The running branches, by their IDs. */
  readonly branches: RunningBranches;
  readonly #limits: GatewayLimits;
  readonly #keys = new CancelKeys();
  readonly #tls: TlsTerminator;
  readonly #guesses: GuessLimiter;
  readonly #connections: ConnectionCount;
  readonly #mockKey = randomBytes(32);
  readonly #listeners = new Set<Deno.TcpListener>();
  /** Clients that have not signed in yet. */
  readonly #arriving = new Set<Deno.TcpConn>();
  readonly #sessions = new Set<ClientSession>();
  readonly #serving = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  #turnedAway = 0;
  #sweeping: ReturnType<typeof setInterval> | undefined;

  readonly #options: GatewayOptions;

  constructor(options: GatewayOptions) {
    this.#options = options;
    const { now, onTrouble } = options;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.branches = new RunningBranches({ limits: this.#limits, now, onTrouble });
    this.#guesses = new GuessLimiter(now);
    this.#tls = new TlsTerminator(options.certificate ?? (() => Promise.resolve(undefined)));
    this.#connections = new ConnectionCount(this.#limits, options.groupOf ?? ((group) => group));
  }

  /**
   * Accepts clients at an address. Port 0 uses any free port.
   *
   * @throws the errors of `Deno.listen`
   */
  listen({ hostname, port }: { readonly hostname: string; readonly port: number }): {
    readonly port: number;
  } {
    const listener = Deno.listen({ hostname, port });
    this.#listeners.add(listener);
    this.#sweeping ??= setInterval(() => {
      this.branches.stopIdle().catch((error) =>
        this.#options.onTrouble(`Cannot stop idle databases: ${error}`)
      );
    }, SWEEP_MS);
    this.#track(acceptClients(listener, {
      closed: this.#closing.signal,
      take: (client) => this.#track(this.#serve(client)),
      onTrouble: this.#options.onTrouble,
    }));
    return { port: listener.addr.port };
  }

  /**
   * Opens a session for the platform itself, regardless of the branch's client limit. The session
   * counts as an open one until it is closed.
   *
   * @throws {EngineError}
   */
  async open(access: Pick<BranchAccess, "branch" | "engine">): Promise<BackendSession> {
    const { session, release } = await this.branches.connect(access, {
      startup: new Map([["application_name", "svc"]]),
      holderOf: (session) => ({ end: () => session.close().catch(() => {}) }),
    });
    return {
      greeting: session.greeting,
      read: () => session.read(),
      write: (bytes) => session.write(bytes),
      cancel: () => session.cancel(),
      close: () => session.close().finally(release),
    };
  }

  /** Stops listening, waits a moment for transactions to finish, then closes all sessions. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearInterval(this.#sweeping);
    for (const listener of this.#listeners) listener.close();
    this.#listeners.clear();
    for (const client of this.#arriving) closeQuietly(client);
    for (const session of this.#sessions) session.endWhenIdle(STOPPING);
    const late = new AbortController();
    const drained = delay(this.#limits.drainMs, undefined, { signal: late.signal });
    await Promise.race([Promise.all(this.#serving), drained.catch(() => {})]);
    late.abort();
    for (const session of this.#sessions) session.end(STOPPING).catch(() => {});
    await Promise.all(this.#serving);
    this.#tls.close();
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => this.#serving.delete(tracked));
    this.#serving.add(tracked);
  }

  async #serve(client: Deno.TcpConn): Promise<void> {
    const address = client.remoteAddr.hostname;
    const leave = this.#connections.enter(address);
    let connection: Connection = client;
    try {
      if (leave === undefined) return await this.#turnAway(client);
      client.setNoDelay(true);
      client.setKeepAlive(true);
      const arrival = await this.#arrive(client, (opened) => connection = opened);
      if (arrival.type === "cancel") {
        await this.#keys.cancel(arrival.processId, arrival.secret);
      } else {
        await this.#join(connection, arrival);
      }
    } catch (error) {
      const fields = this.#explain(error);
      if (fields !== undefined) await writeAll(connection, errorResponse(fields)).catch(() => {});
    } finally {
      // TLS may still have data to send, and then closes the client's connection itself.
      closeQuietly(connection);
      leave?.();
    }
  }

  /**
   * Tells a client that there are too many connections, after reading its first packets. Unread
   * data would cause a connection reset.
   */
  async #turnAway(client: Deno.TcpConn): Promise<void> {
    if (this.#turnedAway >= MOST_TURNED_AWAY) return;
    this.#turnedAway++;
    const late = setTimeout(() => closeQuietly(client), TURN_AWAY_MS);
    try {
      await readOpening(client);
      await writeAll(client, errorResponse(TOO_MANY));
    } finally {
      clearTimeout(late);
      this.#turnedAway--;
    }
  }

  async #arrive(
    client: Deno.TcpConn,
    onOpened: (connection: Connection) => void,
  ): Promise<Arrival> {
    const address = client.remoteAddr.hostname;
    const late = new AbortController();
    const timer = setTimeout(() => {
      late.abort();
      closeQuietly(client);
    }, this.#limits.startupMs);
    this.#arriving.add(client);
    try {
      const opened = await readOpening(client, {
        isReady: () => this.#tls.isReady(),
        encrypt: (read) => this.#tls.encrypt(client, read),
      });
      onOpened(opened.connection);
      return await signIn(opened, {
        directory: this.#options.directory,
        guesses: this.#guesses,
        mockKey: this.#mockKey,
        address: this.#options.groupOf?.(address) ?? address,
        isOfThisMachine: isLoopback(address),
        signal: AbortSignal.any([late.signal, this.#closing.signal]),
      });
    } finally {
      clearTimeout(timer);
      this.#arriving.delete(client);
    }
  }

  async #join(
    client: Connection,
    { access, startup }: Extract<Arrival, { readonly type: "client" }>,
  ): Promise<void> {
    const { database, limits } = access.branch;
    let joined: ClientSession | undefined;
    const { session, release } = await this.branches.connect(access, {
      startup: startup.parameters,
      admit: (sessions) => {
        if (sessions < limits.connections) return;
        const message =
          `The database "${database}" accepts ${limits.connections} connections at a time: close some, use a smaller pool, or choose a larger size for the database`;
        throw new EngineError(message, "53300");
      },
      holderOf: (session) => {
        const holder = joined = new ClientSession(client, session);
        return { end: () => holder.end(ENDED) };
      },
    });
    const key = this.#keys.add(() => session.cancel());
    this.#sessions.add(joined!);
    try {
      await writeAll(client, concatBytes([authenticationOk(), key.inGreeting(session.greeting)]));
      if (this.#closing.signal.aborted) joined!.endWhenIdle(STOPPING);
      await joined!.run();
    } finally {
      key.remove();
      this.#sessions.delete(joined!);
      await session.close().catch(() => {});
      release();
    }
  }

  /** Returns the error for the client, or `undefined` if no client is connected. */
  #explain(error: unknown): ErrorFields | undefined {
    if (error instanceof HandshakeRefused) return error.fields;
    if (error instanceof EngineError) return fatal(error.sqlState, error.message);
    if (error instanceof ProtocolError) return fatal("08P01", error.message);
    if (error instanceof ConnectionEnded || this.#isOfConnection(error)) return undefined;
    this.#options.onTrouble(`A connection to a database failed: ${error}`);
    return fatal("XX000", "The platform failed to open the database: see its log for the reason");
  }

  #isOfConnection(error: unknown): boolean {
    return [
      Deno.errors.BadResource,
      Deno.errors.Interrupted,
      Deno.errors.ConnectionReset,
      Deno.errors.ConnectionAborted,
      Deno.errors.BrokenPipe,
      Deno.errors.NotConnected,
      // The client aborted the TLS handshake, or sent something else.
      Deno.errors.InvalidData,
      Deno.errors.UnexpectedEof,
    ].some((kind) => error instanceof kind) || (error as Error).name === "AbortError";
  }
}

const isLoopback = (address: string): boolean =>
  /^(?:::ffff:)?127\.\d+\.\d+\.\d+$/.test(address) || address === "::1";
