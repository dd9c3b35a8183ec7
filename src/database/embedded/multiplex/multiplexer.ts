/**
 * @module Serves many clients with one backend. A client has the backend from its first message to
 * the end of its transaction. Other clients wait until then. State that outlives a transaction is
 * saved before another client gets the backend, and restored before the client's next statement. If
 * the state cannot be saved, the client keeps the backend.
 */
import { AdvisoryLocks } from "./advisory_locks.ts";
import { type Backend, BackendError, SharedBackend } from "./backend.ts";
import { Client, type PreparedStatement } from "./client.ts";
import { ClientSettings } from "./client_settings.ts";
import { ClientStatements } from "./client_statements.ts";
import { HeldState } from "./held_state.ts";
import {
  channelOf,
  commandTag,
  COPY_FAIL,
  type ErrorFields,
  isPreparation,
  join,
  type Message,
  MessageError,
  parameterStatus,
  queryText,
  readyForQuery,
  statusOf,
  SYNC,
  writeMessage,
} from "./messages.ts";
import {
  dropFlushes,
  dropSkipped,
  endWith,
  type Outlet,
  readMore,
  refuse,
  takeAhead,
  takeMessage,
} from "./outlet.ts";
import { traitsOf } from "./statement_traits.ts";
import { Temporaries } from "./temporaries.ts";
import { blockerOf, idled, overdue } from "./waiting.ts";

interface MultiplexerOptions {
  readonly backend: Backend;
  readonly outlet: Outlet;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** The current client's `idle_in_transaction_session_timeout`, or 0 for no limit. */
  readonly idleInTransactionMs: () => number;
  /** The `BackendKeyData` that a client gets after its parameters. */
  readonly keyOf: (client: number) => Uint8Array;
}

export class Multiplexer {
  readonly #clients = new Map<number, Client>();
  readonly #backend: SharedBackend;
  readonly #statements: ClientStatements;
  readonly #temporaries: Temporaries;
  readonly #locks: AdvisoryLocks;
  readonly #held: HeldState;
  readonly #settings: ClientSettings;
  /** The client that uses the backend until its transaction ends. */
  #holder: Client | undefined;
  #running = 0;
  /** The backend's `ReadyForQuery`, until the client receives it. */
  #ready: Uint8Array | undefined;

  readonly #options: MultiplexerOptions;

  constructor(options: MultiplexerOptions) {
    this.#options = options;
    this.#backend = new SharedBackend(options.backend);
    this.#statements = new ClientStatements(this.#backend);
    this.#temporaries = new Temporaries(this.#backend);
    this.#locks = new AdvisoryLocks(this.#backend);
    this.#held = new HeldState(this.#backend, {
      temporaries: this.#temporaries,
      locks: this.#locks,
    });
    this.#settings = new ClientSettings(this.#backend);
  }

  /**
   * The number of the client whose own statement is running, for cancel requests, or 0 if there is
   * none.
   */
  get running(): number {
    return this.#running;
  }

  /**
   * Whether the backend can be stopped or copied. This is possible if no client is using the
   * backend or has tables in it.
   */
  get isFree(): boolean {
    if (this.#holder !== undefined) return false;
    for (const { pinnedBy } of this.#clients.values()) if (pinnedBy !== undefined) return false;
    return true;
  }

  /** Reads the backend's parameters, once, before the first client. */
  begin(): void {
    this.#settings.begin();
  }

  /**
   * Called when something other than a client has used the backend, so its settings belong to no
   * client.
   */
  forgetSettings(): void {
    this.#settings.forget();
  }

  open(id: number, startup: ReadonlyMap<string, string>): void {
    const client = new Client(id, startup);
    this.#clients.set(id, client);
    this.#settings.greet(client);
    this.#options.outlet.deliver(
      id,
      join([
        ...[...client.told].map(([name, value]) => parameterStatus(name, value)),
        this.#options.keyOf(id),
        readyForQuery("I"),
      ]),
    );
  }

  /** Receives bytes from a client. `step()` handles them. */
  receive(id: number, bytes: Uint8Array<ArrayBuffer>): void {
    const client = this.#clients.get(id);
    if (client === undefined || client.isGone) return;
    if (!client.inbox.isWhole) client.since = this.#options.now();
    client.inbox.push(bytes);
    takeAhead(client, this.#options.outlet);
  }

  /** Called when the client has disconnected. */
  close(id: number): void {
    const client = this.#clients.get(id);
    if (client !== undefined) client.isGone = true;
  }

  /** Ends sessions that have waited too long. */
  tick(): void {
    const now = this.#options.now();
    const holder = this.#holder;
    const waiting = [...this.#clients.values()].filter((client) =>
      client !== holder && !client.isGone && client.inbox.isWhole
    );
    for (const client of waiting) {
      const reason = overdue(client, now, { holder, clients: this.#clients });
      if (reason === undefined) continue;
      client.since = now;
      refuse(client, reason, this.#options.outlet);
    }
    if (holder === undefined) return;
    const limitMs = this.#options.idleInTransactionMs();
    const reason = idled(holder, { now, limitMs, isAwaited: waiting.length > 0 });
    if (reason !== undefined) this.#end(holder, reason);
  }

  /** Does the next piece of work. Returns false if nothing can be done until more bytes arrive. */
  step(): boolean {
    const holder = this.#holder ?? this.#choose();
    if (holder === undefined) return false;
    try {
      if (holder.isGone) this.#leave(holder);
      else if (this.#holder !== holder) this.#seat(holder);
      else if (!this.#advance(holder)) return false;
    } catch (error) {
      if (!(error instanceof MessageError)) throw error;
      this.#end(holder, { severity: "FATAL", sqlState: "08P01", message: error.message });
    }
    return true;
  }

  /**
   * Returns the next client that has disconnected, or that has a complete message which may run
   * now.
   */
  #choose(): Client | undefined {
    for (const client of this.#clients.values()) {
      if (client.isGone) return client;
      dropSkipped(client, this.#options.outlet);
      dropFlushes(client, this.#options.outlet);
      if (!client.inbox.isWhole) continue;
      try {
        if (blockerOf(client, this.#clients) !== undefined) continue;
      } catch (error) {
        if (!(error instanceof MessageError)) throw error;
      }
      // The next search starts after this client.
      this.#clients.delete(client.id);
      this.#clients.set(client.id, client);
      return client;
    }
    return undefined;
  }

  /** Gives the backend to a client, with its settings. */
  #seat(client: Client): void {
    try {
      const owner = this.#temporaries.park(client);
      if (owner === undefined) {
        if (this.#settings.give(client)) this.#report(client);
        this.#temporaries.bringBack(client);
        client.since = this.#options.now();
      }
      this.#holder = owner ?? client;
    } catch (error) {
      if (!(error instanceof BackendError)) throw error;
      const { message, sqlState } = error;
      this.#end(client, { severity: "FATAL", sqlState, message });
    }
  }

  /** Sends a client the parameters that differ from the values it last received. */
  #report(client: Client): void {
    for (const [name, value] of this.#settings.news(client)) {
      this.#options.outlet.deliver(client.id, parameterStatus(name, value));
    }
  }

  /**
   * Runs the next message of the client that has the backend. Returns false if there is no message.
   */
  #advance(client: Client): boolean {
    const message = takeMessage(client, this.#options.outlet);
    if (message === undefined) return false;
    if (message.type === "X") {
      client.isGone = true;
      return true;
    }
    // The backend would also skip these messages, but the platform's own messages come before some
    // of the client's.
    if (client.isSkipping && message.type !== "S") {
      if (message.type === "H") this.#pause(client);
      return true;
    }
    // There is nothing to flush, because the client already has all responses.
    if (message.type === "H" && !client.isMidBatch) return true;
    client.isMidBatch = true;
    if (message.type === "E") {
      const statement = this.#statements.executedBy(client, message);
      if (statement !== undefined) this.#expect(client, statement);
    }
    const bytes = message.type === "Q"
      ? this.#query(client, message)
      : this.#bound(client, message) ?? this.#statements.translate(client, message);
    client.hasWork ||= !isPreparation(message);
    if (bytes instanceof Uint8Array) this.#run(client, message.type, bytes);
    else this.#hear(client, "P", bytes);
    client.since = this.#options.now();
    if (this.#ready !== undefined) this.#finish(client, this.#ready);
    else if (message.type === "H") this.#pause(client);
    return true;
  }

  /**
   * Releases the backend if a client has only prepared statements and requested their descriptions.
   * The platform's own `Sync` ends the batch, because the client's `Sync` comes later.
   */
  #pause(client: Client): void {
    if (client.hasWork || client.status !== "I" || client.inbox.isWhole) return;
    this.#backend.run(SYNC, () => {}, () => COPY_FAIL);
    client.isMidBatch = false;
    this.#settle(client);
  }

  #expect(client: Client, { text, traits }: Pick<PreparedStatement, "text" | "traits">): void {
    client.suspect(traits);
    this.#held.note(client, text);
  }

  #query(client: Client, message: Message): Uint8Array {
    const text = queryText(message);
    const traits = traitsOf(text);
    this.#expect(client, { text, traits });
    const refusal = this.#locks.refusal(client, this.#clients.values(), { message, traits });
    return this.#statements.query(client, text) ?? refusal ?? message.bytes;
  }

  /**
   * Returns the message that replaces a client's `Bind` if the client tries to take another
   * client's advisory lock; otherwise `undefined`.
   */
  #bound(client: Client, message: Message): Uint8Array | undefined {
    if (message.type !== "B") return undefined;
    const statement = this.#statements.boundBy(client, message);
    if (statement?.traits.call === undefined) return undefined;
    const { traits } = statement;
    const refusal = this.#locks.refusal(client, this.#clients.values(), { message, traits });
    if (refusal !== undefined) this.#statements.bind(client, message, statement);
    return refusal;
  }

  #run(client: Client, type: string, bytes: Uint8Array): void {
    this.#running = client.id;
    this.#backend.run(
      bytes,
      (said) => this.#hear(client, type, said),
      () => readMore(client, this.#options.outlet),
    );
    this.#running = 0;
  }

  /** Handles the backend's response to a client's message. */
  #hear(client: Client, type: string, said: Message): void {
    const { outlet } = this.#options;
    switch (said.type) {
      case "A":
        return this.#notify(said);
      case "1":
        this.#statements.parsed(client);
        break;
      case "C":
        this.#complete(client, commandTag(said));
        break;
      case "E":
        this.#statements.failed();
        client.isSkipping = type !== "Q" && type !== "S" && type !== "F";
        break;
      case "Z":
        client.status = statusOf(said);
        client.isMidBatch = client.isSkipping = client.hasWork = false;
        this.#ready = said.bytes;
        return;
    }
    outlet.deliver(client.id, said.bytes);
  }

  #complete(client: Client, tag: string): void {
    if (tag === "LISTEN" || tag === "UNLISTEN") client.suspects.channels = true;
    if (tag === "DISCARD ALL" || tag === "DEALLOCATE ALL") this.#statements.forget(client);
    if (tag === "DISCARD ALL") {
      client.listens.clear();
      client.suspects = { pins: true, locks: true, channels: true };
    }
  }

  #notify(said: Message): void {
    const channel = channelOf(said);
    for (const { id, listens, isGone } of this.#clients.values()) {
      if (!isGone && listens.has(channel)) this.#options.outlet.deliver(id, said.bytes);
    }
  }

  /** Handles the backend's completed response to a client's messages, and reports the changes. */
  #finish(client: Client, ready: Uint8Array): void {
    this.#ready = undefined;
    if (client.status !== "E" && this.#settings.hasNews) this.#report(client);
    this.#options.outlet.deliver(client.id, ready);
    if (client.status === "I") this.#settle(client);
  }

  /**
   * Called when a client's transaction has ended. Finds the state that stays in the backend, and
   * releases the backend if possible.
   */
  #settle(client: Client): void {
    client.portals.clear();
    this.#held.examine(client, this.#clients.values());
    if (this.#temporaries.canGiveWay(client)) this.#holder = undefined;
  }

  /** Removes all state of a disconnected client from the backend. */
  #leave(client: Client): void {
    if (this.#holder === client && (client.isMidBatch || client.status !== "I")) {
      const quiet = (): void => {};
      this.#backend.run(SYNC, quiet, () => COPY_FAIL);
      this.#backend.run(writeMessage("Q", "ROLLBACK"), quiet, () => COPY_FAIL);
    }
    this.#clients.delete(client.id);
    this.#statements.leave(client);
    this.#held.leave(client, this.#clients.values());
    if (this.#holder === client) this.#holder = undefined;
    this.#options.outlet.ended(client.id);
  }

  #end(client: Client, error: ErrorFields): void {
    endWith(client, error, this.#options.outlet);
  }
}
