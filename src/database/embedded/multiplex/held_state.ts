/** @module State that the backend keeps beyond a transaction. */
import type { AdvisoryLocks } from "./advisory_locks.ts";
import type { SharedBackend } from "./backend.ts";
import type { Client } from "./client.ts";
import { quoteIdentifier } from "./settings.ts";
import { channelsOf } from "./statement_traits.ts";
import { IS_OWN, type Temporaries, TEMPORARY_TABLES } from "./temporaries.ts";

const WHAT_PINS = `SELECT CASE
WHEN EXISTS (SELECT FROM pg_catalog.pg_cursors WHERE is_holdable) THEN 'a cursor WITH HOLD'
WHEN EXISTS (SELECT FROM pg_catalog.pg_prepared_statements WHERE from_sql)
  THEN 'a statement prepared by SQL'
WHEN EXISTS (SELECT FROM pg_catalog.pg_class WHERE relkind <> 'i' AND ${IS_OWN})
  THEN '${TEMPORARY_TABLES}'
END`;

const LISTENING = `SELECT pg_catalog.pg_listening_channels()`;

export class HeldState {
  readonly #backend: SharedBackend;
  readonly #temporaries: Temporaries;
  readonly #locks: AdvisoryLocks;

  constructor(
    backend: SharedBackend,
    { temporaries, locks }: { readonly temporaries: Temporaries; readonly locks: AdvisoryLocks },
  ) {
    this.#backend = backend;
    this.#temporaries = temporaries;
    this.#locks = locks;
  }

  /**
   * Records the channels that a statement names. Whether the statement takes effect is checked
   * later.
   */
  note(client: Client, text: string): void {
    if (!/listen/i.test(text)) return;
    const { listen, unlisten } = channelsOf(text);
    for (const channel of unlisten) {
      if (channel === "*") client.listens.clear();
      else client.listens.delete(channel);
    }
    for (const channel of listen) client.listens.add(channel);
    client.suspects.channels ||= listen.length + unlisten.length > 0;
  }

  /** Finds the state that a client's transaction has left behind. */
  examine(client: Client, all: Iterable<Client>): void {
    const { suspects } = client;
    if (suspects.pins) {
      client.pinnedBy = this.#backend.ask(WHAT_PINS)[0]?.[0] ?? undefined;
      // Any statement may drop the objects that pin the backend, so its text does not matter.
      suspects.pins = client.pinnedBy !== undefined;
    }
    if (suspects.locks) {
      this.#locks.examine(client, all);
      suspects.locks = client.locks.size > 0;
    }
    if (suspects.channels) {
      suspects.channels = false;
      this.#settleChannels(client, all);
    }
  }

  /** Makes the backend listen to exactly the channels that clients listen to. */
  #settleChannels(client: Client | undefined, all: Iterable<Client>): void {
    const actual = new Set(this.#backend.ask(LISTENING).map(([channel]) => channel ?? ""));
    if (client !== undefined) {
      for (const channel of client.listens) {
        if (!actual.has(channel)) client.listens.delete(channel);
      }
    }
    const wanted = new Set([...all].flatMap(({ listens }) => [...listens]));
    for (const channel of wanted) {
      if (!actual.has(channel)) this.#backend.ask(`LISTEN ${quoteIdentifier(channel)}`);
    }
    for (const channel of actual) {
      if (!wanted.has(channel)) this.#backend.ask(`UNLISTEN ${quoteIdentifier(channel)}`);
    }
  }

  /** Removes the state of a client that has left. */
  leave(client: Client, others: Iterable<Client>): void {
    if (client.suspects.pins || client.pinnedBy !== undefined) {
      this.#backend.ask("CLOSE ALL");
      this.#temporaries.leave(client, others);
      for (const [name] of this.#backend.ask(PREPARED_BY_SQL)) {
        this.#backend.ask(`DEALLOCATE ${quoteIdentifier(name ?? "")}`);
      }
    }
    if (client.locks.size > 0 || client.suspects.locks) this.#locks.leave(client, others);
    if (client.listens.size > 0 || client.suspects.channels) {
      this.#settleChannels(undefined, others);
    }
  }
}

const PREPARED_BY_SQL = `SELECT name FROM pg_catalog.pg_prepared_statements WHERE from_sql`;
