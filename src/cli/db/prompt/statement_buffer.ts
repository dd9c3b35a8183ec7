/**
 * What was typed at the prompt and not yet run.
 *
 * @module
 */
import { firstWords, isBlankSql, splitStatements } from "../query/split_statements.ts";

/** What a line that was typed asks for. */
export type Typed =
  | { readonly type: "more" }
  | { readonly type: "run"; readonly sql: string }
  | { readonly type: "command"; readonly text: string };

/** Whether a transaction is open after these statements. */
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
 * Collects lines until a statement is complete. Each run is a session of its
 * own, so a transaction is held back until the statement that ends it.
 */
export class StatementBuffer {
  private text = "";
  /** Between the database's name and `>`, as psql has it: `=`, `-`, `'`, `(`, `*` or `!`. */
  mark = "=";

  /** Takes a line without its end. */
  add(line: string): Typed {
    if (this.text === "" && line.trimStart().startsWith("\\")) {
      return { type: "command", text: line.trim() };
    }
    this.text += `${line}\n`;
    const { complete, rest, open } = splitStatements(this.text);
    if (complete.length > 0 && !isTransactionOpen(complete)) {
      this.keep(isBlankSql(rest) ? "" : rest, open === undefined ? "-" : MARKS[open]);
      const sql = complete.join("\n");
      return sql.replaceAll(";", "").trim() === "" ? { type: "more" } : { type: "run", sql };
    }
    if (isBlankSql(this.text)) this.clear();
    else this.mark = open === undefined ? complete.length > 0 ? "!" : "-" : MARKS[open];
    return { type: "more" };
  }

  /** Forgets what was typed. */
  clear(): void {
    this.keep("", "=");
  }

  get isEmpty(): boolean {
    return this.text === "";
  }

  private keep(text: string, mark: string): void {
    this.text = text;
    this.mark = text === "" ? "=" : mark;
  }
}
