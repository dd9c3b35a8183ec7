/**
 * @module Tracks which client owns each advisory lock, because all clients share one session. An
 * attempt to take another client's lock fails immediately, and no client can release another's
 * lock.
 */
import { keyOf, lockArguments } from "./advisory_call.ts";
import { BackendError, type SharedBackend } from "./backend.ts";
import type { Client } from "./client.ts";
import { bindInstead, type Message, writeMessage } from "./messages.ts";
import { quoteIdentifier } from "./settings.ts";
import type { StatementTraits } from "./statement_traits.ts";

const HELD = `SELECT DISTINCT pg_catalog.concat_ws(',', classid, objid, objsubid)
FROM pg_catalog.pg_locks WHERE locktype = 'advisory'`;

/** Name of the statement that reports a lock as taken. */
const TAKEN = "_taken";

/** Returns the keys held by all clients except one. */
function othersLocks(client: Client, all: Iterable<Client>): Set<string> {
  const keys = new Set<string>();
  for (const other of all) {
    if (other === client) continue;
    for (const key of other.locks) keys.add(key);
  }
  return keys;
}

/** Whether a client's next statement has to wait for another client's lock. */
export function waitsForLock(
  client: Client,
  all: Iterable<Client>,
  { takes, call }: StatementTraits,
): boolean {
  if (!takes || call?.tries === true) return false;
  const others = othersLocks(client, all);
  if (others.size === 0) return false;
  const key = call && keyOf(call, undefined, () => undefined);
  return key === undefined || others.has(key);
}

/** Returns SQL that releases a lock as many times as it was acquired. */
const release = (key: string, mode: "" | "_shared"): string => {
  const call = `pg_catalog.pg_advisory_unlock${mode}(${lockArguments(key)})`;
  return `WITH RECURSIVE given(back) AS (SELECT ${call} UNION ALL SELECT ${call} FROM given ` +
    "WHERE back) SELECT FROM given";
};

export class AdvisoryLocks {
  readonly #backend: SharedBackend;

  constructor(backend: SharedBackend) {
    this.#backend = backend;
  }

  /**
   * Returns the message to run instead if a client tries to take another client's lock, or
   * `undefined` to run the client's own message. The returned message reports the lock as taken.
   */
  refusal(
    client: Client,
    all: Iterable<Client>,
    { message, traits: { call } }: { readonly message: Message; readonly traits: StatementTraits },
  ): Uint8Array | undefined {
    if (call?.tries !== true) return undefined;
    const others = othersLocks(client, all);
    if (others.size === 0) return undefined;
    const key = keyOf(call, message.type === "B" ? message : undefined, (expression) => {
      // A query would end the client's current batch.
      if (client.hasWork && message.type === "B" || client.status === "E") return undefined;
      return this.#compute(expression);
    });
    // An unknown key counts as taken, so the client gets a response and can try again.
    if (key !== undefined && !others.has(key)) return undefined;
    const sql = `SELECT false AS ${quoteIdentifier(call.column)}`;
    if (message.type === "Q") return writeMessage("Q", sql);
    this.#backend.prepare(writeMessage("C", new TextEncoder().encode("S"), TAKEN));
    this.#backend.prepare(writeMessage("P", TAKEN, sql, new Uint8Array(2)));
    return bindInstead(message, TAKEN);
  }

  #compute(expression: string): string | null | undefined {
    try {
      return this.#backend.ask(`SELECT (${expression})::bigint`)[0]?.[0];
    } catch (error) {
      if (error instanceof BackendError) return undefined;
      throw error;
    }
  }

  /**
   * Finds the locks that a client now has. Restores the locks of other clients that this client has
   * released.
   */
  examine(client: Client, all: Iterable<Client>): void {
    const held = new Set(this.#backend.ask(HELD).map(([key]) => key ?? ""));
    const others = othersLocks(client, all);
    client.locks = held.difference(others);
    for (const key of others.difference(held)) {
      this.#backend.ask(`SELECT pg_catalog.pg_advisory_lock(${lockArguments(key)})`);
    }
  }

  /** Releases the locks of a disconnected client. */
  leave(client: Client, all: Iterable<Client>): void {
    this.examine(client, all);
    for (const key of client.locks) {
      this.#backend.ask(release(key, ""));
      this.#backend.ask(release(key, "_shared"));
    }
    client.locks = new Set();
  }
}
