/**
 * Which statements a read-only run refuses, beside those that the server itself
 * refuses in a read-only transaction.
 *
 * @module
 */
import { firstWords } from "../../lib/sql_statements.ts";

/** They end the transaction, or begin another. */
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

/** @returns why the statement may not run; `undefined` where the server decides */
export function refuseInReadOnly(statement: string): string | undefined {
  const [keyword = ""] = firstWords(statement, 1);
  if (TRANSACTION_CONTROL.has(keyword)) {
    return `Read-only mode runs everything in one transaction: remove ${keyword.toUpperCase()}`;
  }
  // It may write files of the server, which no transaction takes back.
  if (keyword === "copy") return "Read-only mode has no COPY: use SELECT";
  return undefined;
}
