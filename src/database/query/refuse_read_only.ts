/** @module Statements that read-only mode rejects without asking the server. Pure. */
import { firstWords, splitStatements } from "../../lib/sql_statements.ts";
import type { QueryErrorEvent } from "./types.ts";

/** Statements that end the transaction, or start another one. */
const TRANSACTION_CONTROL: ReadonlySet<string> = new Set([
  "abort",
  "begin",
  "commit",
  "end",
  "prepare",
  "release",
  "rollback",
  "savepoint",
  "start",
]);

/**
 * Statements that the server rejects in every read-only transaction (PostgreSQL, "SET
 * TRANSACTION"). PostgreSQL would let them change temporary tables, but a new session has none.
 */
const WRITES: ReadonlySet<string> = new Set([
  "alter",
  "comment",
  "create",
  "delete",
  "drop",
  "grant",
  "insert",
  "merge",
  "revoke",
  "truncate",
  "update",
]);

export function asEvent(sqlState: string, message: string): QueryErrorEvent {
  return { type: "error", message, sqlState, detail: null, hint: null, position: null };
}

function reasonOf(statement: string): string | undefined {
  const [keyword = ""] = firstWords(statement, 1);
  if (TRANSACTION_CONTROL.has(keyword)) {
    return `Read-only mode runs everything in one transaction: remove ${keyword.toUpperCase()}`;
  }
  // COPY can write files on the server, which no rollback undoes.
  if (keyword === "copy") return "Read-only mode does not support COPY: use SELECT";
  return WRITES.has(keyword)
    ? `cannot execute ${keyword.toUpperCase()} in a read-only transaction`
    : undefined;
}

/**
 * Returns the error if SQL starts with a statement that is not allowed in read-only mode. The check
 * needs no session, which matters because a stopped database takes seconds to start.
 *
 * @returns `undefined` if the server must decide
 */
export function refuseReadOnly(sql: string): QueryErrorEvent | undefined {
  const [first] = splitStatements(sql);
  const reason = first && reasonOf(first.text);
  return reason === undefined ? undefined : asEvent("25006", reason);
}
