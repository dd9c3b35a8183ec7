/**
 * @module Prepared statements of many clients in one backend. Each statement gets its own name
 * there, and is prepared again if another client's statement or `DISCARD ALL` has replaced or
 * removed it.
 */
import type { SharedBackend } from "./backend.ts";
import type { Client, PreparedStatement } from "./client.ts";
import {
  type Message,
  MessageError,
  type NamedStatement,
  parseText,
  readString,
  statementOf,
  SYNC,
  writeMessage,
} from "./messages.ts";
import { quoteIdentifier } from "./settings.ts";
import { deallocatedBy, traitsOf } from "./statement_traits.ts";

/** Maximum number of prepared statements per client. */
const MAX_STATEMENTS = 10_000;

const HEADER_BYTES = 5;
const STATEMENT = new TextEncoder().encode("S");

const closeStatement = (key: string): Uint8Array => writeMessage("C", STATEMENT, key);

export class ClientStatements {
  /** Names of the statements in the backend. */
  readonly #present = new Set<string>();
  /**
   * The owner of the backend's unnamed statement, and the number of simple queries before that
   * statement.
   */
  #unnamed: { readonly of: Client; readonly at: number } | undefined;
  /** The statement to which the next `ParseComplete` refers. */
  #parsing: { readonly name: string; readonly statement: PreparedStatement } | undefined;

  readonly #backend: SharedBackend;

  constructor(backend: SharedBackend) {
    this.#backend = backend;
  }

  /**
   * Replaces the statement's name in a client's message with the backend's name.
   *
   * @returns the backend's error if a statement cannot be prepared again
   */
  translate(client: Client, message: Message): Uint8Array | Message {
    if (!"PBDC".includes(message.type)) return message.bytes;
    const named = statementOf(message);
    if (named === undefined) return message.bytes;
    if (message.type === "P") return this.#parse(client, message, named);
    if (message.type === "C") return this.#close(client, named);
    const statement = client.statements.get(named.name);
    const failed = this.#provide(client, named.name, statement);
    if (failed !== undefined) return failed;
    if (message.type === "B" && statement !== undefined) this.bind(client, message, statement);
    return statement === undefined ? message.bytes : named.renamed(statement.key);
  }

  /** Returns the statement of a `Bind` message, if known. */
  boundBy(client: Client, message: Message): PreparedStatement | undefined {
    return client.statements.get(statementOf(message)?.name ?? "");
  }

  /** Records the portal that a `Bind` message creates from a statement. */
  bind(client: Client, { bytes }: Message, statement: PreparedStatement): void {
    client.portals.set(readString(bytes, HEADER_BYTES).text, statement);
  }

  #parse(client: Client, message: Message, named: NamedStatement): Uint8Array {
    if (client.statements.size >= MAX_STATEMENTS) {
      throw new MessageError(`More than ${MAX_STATEMENTS} prepared statements in one session`);
    }
    const { name } = named;
    const known = client.statements.get(name);
    const key = name === "" ? "" : known?.key ?? client.nextKey();
    const text = parseText(message);
    const deallocated = this.#deallocate(client, text);
    const parse = deallocated === undefined
      ? named.renamed(key)
      : writeMessage("P", key, deallocated, new Uint8Array(2));
    this.#parsing = { name, statement: { key, parse, text, traits: traitsOf(text) } };
    if (name === "") this.#unnamed = undefined;
    return parse;
  }

  /** Called when the statement that a client parsed has been prepared. */
  parsed(client: Client): void {
    if (this.#parsing === undefined) return;
    const { name, statement } = this.#parsing;
    client.statements.set(name, statement);
    this.#note(client, name, statement);
    this.#parsing = undefined;
  }

  /** Records that the backend has a client's statement. */
  #note(client: Client, name: string, { key }: PreparedStatement): void {
    if (name === "") this.#unnamed = { of: client, at: this.#backend.simpleQueries };
    else this.#present.add(key);
  }

  failed(): void {
    this.#parsing = undefined;
  }

  #close(client: Client, named: NamedStatement): Uint8Array {
    const statement = client.statements.get(named.name);
    client.statements.delete(named.name);
    if (statement === undefined) return named.renamed("");
    this.#present.delete(statement.key);
    return named.renamed(statement.key);
  }

  /** Returns the statement that an `Execute` message runs, if known. */
  executedBy(client: Client, { bytes }: Message): PreparedStatement | undefined {
    return client.portals.get(readString(bytes, HEADER_BYTES).text);
  }

  /**
   * Makes sure that the statement's name in the backend refers to this client's statement, not to
   * another client's.
   */
  #provide(
    client: Client,
    name: string,
    statement: PreparedStatement | undefined,
  ): Message | undefined {
    if (name === "") {
      const { of, at } = this.#unnamed ?? {};
      if (of === client && at === this.#backend.simpleQueries) return undefined;
      if (statement === undefined) {
        this.#unnamed = undefined;
        return this.#backend.prepare(closeStatement(""));
      }
    } else if (statement === undefined || this.#present.has(statement.key)) return undefined;
    const failed = this.#backend.prepare(statement.parse);
    if (failed === undefined) this.#note(client, name, statement);
    return failed;
  }

  /** Handles a simple query, which removes the unnamed statement and may deallocate another one. */
  query(client: Client, text: string): Uint8Array | undefined {
    client.statements.delete("");
    const deallocate = this.#deallocate(client, text);
    return deallocate === undefined ? undefined : writeMessage("Q", deallocate);
  }

  #deallocate(client: Client, text: string): string | undefined {
    const name = deallocatedBy(text);
    const statement = name === undefined ? undefined : client.statements.get(name);
    if (name === undefined || statement === undefined) return undefined;
    client.statements.delete(name);
    this.#present.delete(statement.key);
    return `DEALLOCATE ${quoteIdentifier(statement.key)}`;
  }

  /** Called when the backend has lost all statements and this client no longer needs its own. */
  forget(client: Client): void {
    client.statements.clear();
    this.#present.clear();
    this.#unnamed = undefined;
  }

  /** Closes the statements of a disconnected client. */
  leave(client: Client): void {
    const keys = [...client.statements.values()].map(({ key }) => key)
      .filter((key) => this.#present.delete(key));
    for (const key of keys) this.#backend.prepare(closeStatement(key));
    if (keys.length > 0) this.#backend.prepare(SYNC);
    if (this.#unnamed?.of === client) this.#unnamed = undefined;
  }
}
