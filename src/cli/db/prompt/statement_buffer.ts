/** @module Collects text that was typed at the prompt and has not run yet. */
import { firstWords, StatementSplitter } from "../../../lib/sql_statements.ts";

/** The effect of a typed line. */
export type Typed =
  | { readonly type: "more" }
  | { readonly type: "run"; readonly sql: string }
  | { readonly type: "command"; readonly text: string };

/** Returns whether a transaction is open after these statements. */
function isTransactionOpen(statements: readonly string[]): boolean {
  let isOpen = false;
  for (const statement of statements) {
    const [first, second] = firstWords(statement, 2);
    if (first === "begin" || (first === "start" && second === "transaction")) isOpen = true;
    if (first === "commit" || first === "end" || first === "abort") isOpen = false;
    if (first === "prepare" && second === "transaction") isOpen = false;
    if (first === "rollback" && firstWords(statement, 4).includes("to") === false) isOpen = false;
  }
  return isOpen;
}

const MARKS = { quote: "'", comment: "*", parenthesis: "(" } as const;

/**
 * Collects lines until a statement is complete. Each run is a separate session, so the statements
 * of a transaction are held back until the transaction ends.
 */
export class StatementBuffer {
  readonly #splitter = new StatementSplitter();
  /** Complete statements that have not run yet, each with its semicolon. */
  #statements: string[] = [];
  /** Character between the database's name and `>`, as in psql: `=`, `-`, `'`, `(`, `*` or `!`. */
  mark = "=";

  /** Adds a line without its line break. */
  add(line: string): Typed {
    if (this.isEmpty && line.trimStart().startsWith("\\")) {
      return { type: "command", text: line.trim() };
    }
    for (const { text } of this.#splitter.push(`${line}\n`)) {
      this.#statements.push(`${text.trimStart()};`);
    }
    const isHeld = isTransactionOpen(this.#statements);
    this.mark = this.#readMark(isHeld);
    if (this.#splitter.isBetween) this.#splitter.takeRest();
    if (isHeld || this.#statements.length === 0) return { type: "more" };
    const sql = this.#statements.join("\n");
    this.#statements = [];
    return { type: "run", sql };
  }

  /** Clears the typed text. */
  clear(): void {
    this.#splitter.takeRest();
    this.#statements = [];
    this.mark = "=";
  }

  get isEmpty(): boolean {
    return this.#statements.length === 0 && this.#splitter.pendingLength === 0;
  }

  #readMark(isHeld: boolean): string {
    const { open, isBetween } = this.#splitter;
    if (open !== undefined) return MARKS[open];
    if (isHeld) return "!";
    return isBetween ? "=" : "-";
  }
}
