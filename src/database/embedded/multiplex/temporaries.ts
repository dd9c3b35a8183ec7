/**
 * @module Temporary tables of many clients in one backend, which has a single schema for all of
 * them. While a client is inactive, its tables are parked under hidden names. Views, indexes and
 * plans refer to tables by ID, so they keep working.
 */
import { BackendError, type SharedBackend } from "./backend.ts";
import type { Client } from "./client.ts";
import { quoteIdentifier } from "./settings.ts";

/** Value of {@link Client.pinnedBy} if only temporary tables pin the backend. */
export const TEMPORARY_TABLES = "temporary tables";

/** Prefix of parked tables' names, followed by an ID. */
const PARKED = "svc parked ";

/** Condition for tables that the active client created. */
export const IS_OWN = `relpersistence = 't' AND relnamespace = pg_catalog.pg_my_temp_schema()
  AND relname NOT LIKE '${PARKED}%'`;

const OWN = `SELECT oid, relname FROM pg_catalog.pg_class WHERE ${IS_OWN}`;

/** Objects that are dropped separately. Indexes are dropped with their tables. */
const KINDS: Readonly<Record<string, string>> = {
  r: "TABLE",
  p: "TABLE",
  v: "VIEW",
  S: "SEQUENCE",
};

const DROPPABLE = `SELECT relname, relkind FROM pg_catalog.pg_class WHERE relpersistence = 't'
  AND relnamespace = pg_catalog.pg_my_temp_schema()
  AND relkind IN (${Object.keys(KINDS).map((kind) => `'${kind}'`).join(", ")})`;

/** Returns a name qualified with the schema of temporary tables. */
const inSchema = (name: string): string => `pg_temp.${quoteIdentifier(name)}`;

/**
 * Joins statements into one transaction that can change tables regardless of the client's role or
 * mode.
 */
const changing = (statements: readonly string[]): string =>
  ["SET TRANSACTION READ WRITE", "SET LOCAL SESSION AUTHORIZATION DEFAULT", ...statements]
    .join(";\n");

/** Renames tables, views, sequences and indexes. */
const renaming = (names: readonly (readonly [from: string, to: string])[]): string =>
  changing(
    names.map(([from, to]) => `ALTER TABLE ${inSchema(from)} RENAME TO ${quoteIdentifier(to)}`),
  );

export class Temporaries {
  /** The client whose tables currently have their original names. */
  #owner: Client | undefined;

  readonly #backend: SharedBackend;

  constructor(backend: SharedBackend) {
    this.#backend = backend;
  }

  /** Whether a client whose transaction has ended can leave the backend to other clients. */
  canGiveWay(client: Client): boolean {
    if (client.pinnedBy === TEMPORARY_TABLES) this.#owner = client;
    else if (this.#owner === client) this.#owner = undefined;
    return client.pinnedBy === undefined ||
      client.pinnedBy === TEMPORARY_TABLES && !client.isUnparkable;
  }

  /**
   * Parks the tables of the client that previously had the backend.
   *
   * @returns the client that must keep the backend because its tables cannot be parked
   */
  park(next: Client): Client | undefined {
    const owner = this.#owner;
    if (owner === undefined || owner === next) return undefined;
    try {
      const own = this.#backend.ask(OWN).map(([id, name]) => [id!, name!] as const);
      if (own.length > 0) {
        this.#backend.ask(renaming(own.map(([id, name]) => [name, `${PARKED}${id}`])));
      }
      for (const [id, name] of own) owner.parked.set(`${PARKED}${id}`, name);
      this.#owner = undefined;
      return undefined;
    } catch (error) {
      if (!(error instanceof BackendError)) throw error;
      owner.isUnparkable = true;
      return owner;
    }
  }

  /** Restores the table names of the client that has the backend. @throws {BackendError} */
  bringBack(client: Client): void {
    if (client.parked.size === 0) return;
    this.#backend.ask(renaming([...client.parked]));
    client.parked.clear();
    this.#owner = client;
  }

  /** Drops the tables of a disconnected client, and no other tables. */
  leave(client: Client, others: Iterable<Client>): void {
    const isOwner = this.#owner === undefined || this.#owner === client;
    if (this.#owner === client) this.#owner = undefined;
    if (![...others].some((other) => other !== client && other.pinnedBy !== undefined)) {
      this.#backend.ask("DISCARD TEMP");
      return;
    }
    const drops = this.#backend.ask(DROPPABLE).map(([name, kind]) => [name!, kind!] as const)
      .filter(([name]) => name.startsWith(PARKED) ? client.parked.has(name) : isOwner)
      .map(([name, kind]) => `DROP ${KINDS[kind]} IF EXISTS ${inSchema(name)} CASCADE`);
    if (drops.length > 0) this.#backend.ask(changing(drops));
  }
}
