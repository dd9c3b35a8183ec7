/**
 * Where statements of SQL end: at a `;` outside of quotes, comments,
 * parentheses and the bodies of functions.
 *
 * @module
 */

export interface SplitSql {
  /** Complete statements, each with its `;`. */
  readonly complete: readonly string[];
  /** What follows the last of them: the beginning of another, or blanks and comments. */
  readonly rest: string;
  /** What a `;` in the rest would not end: an open quote, comment or parenthesis. */
  readonly open: "quote" | "comment" | "parenthesis" | undefined;
}

const BLANK = /(?:--[^\n]*|\s+)/y;
/** A text with backslashes, a plain text, a quoted name; the group is missing where it is open. */
const QUOTED = [
  /[eE]'(?:[^'\\]+|\\[\s\S]|'')*(?:(')|\\?$)/y,
  /'(?:[^']+|'')*(?:(')|$)/y,
  /"(?:[^"]+|"")*(?:(")|$)/y,
];
/** A word, a parameter, a number. */
const WORD = /[\p{L}_][\p{L}\p{N}_$]*|\$?\d[\w.]*/yu;
const DOLLAR_QUOTE = /\$(?:[\p{L}_][\p{L}\p{N}_]*)?\$/yu;

function endOfComment(sql: string, start: number): number | undefined {
  let depth = 0;
  for (const match of sql.slice(start).matchAll(/\/\*|\*\//g)) {
    depth += match[0] === "/*" ? 1 : -1;
    if (depth === 0) return start + match.index + 2;
  }
  return undefined;
}

interface Token {
  readonly end: number;
  readonly isOpen?: "quote" | "comment";
  /** In lower case, of a word. */
  readonly word?: string;
  readonly isBlank?: boolean;
}

function matchAt(pattern: RegExp, sql: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(sql) ?? undefined;
}

function readToken(sql: string, at: number): Token {
  if (sql.startsWith("/*", at)) {
    const end = endOfComment(sql, at);
    return end === undefined ? { end: sql.length, isOpen: "comment" } : { end, isBlank: true };
  }
  const [tag] = matchAt(DOLLAR_QUOTE, sql, at) ?? [];
  if (tag !== undefined) {
    const close = sql.indexOf(tag, at + tag.length);
    if (close === -1) return { end: sql.length, isOpen: "quote" };
    return { end: close + tag.length };
  }
  for (const pattern of QUOTED) {
    const quoted = matchAt(pattern, sql, at);
    if (quoted === undefined) continue;
    const end = at + quoted[0].length;
    return quoted[1] === undefined ? { end, isOpen: "quote" } : { end };
  }
  const [blank] = matchAt(BLANK, sql, at) ?? [];
  if (blank !== undefined) return { end: at + blank.length, isBlank: true };
  const [word] = matchAt(WORD, sql, at) ?? [];
  if (word !== undefined) return { end: at + word.length, word: word.toLowerCase() };
  return { end: at + 1 };
}

/** How deep a statement is in `BEGIN ATOMIC … END` of a function's body, as psql counts it. */
class Body {
  private words: string[] = [];
  depth = 0;

  add(word: string): void {
    if (this.words.length < 4) this.words.push(word);
    const [first, second, , fourth] = this.words;
    const kind = second === "or" ? fourth : second;
    if (first !== "create" || (kind !== "function" && kind !== "procedure")) return;
    if (word === "begin" || (word === "case" && this.depth > 0)) this.depth++;
    else if (word === "end" && this.depth > 0) this.depth--;
  }
}

/** Splits SQL into its statements. */
export function splitStatements(sql: string): SplitSql {
  const complete: string[] = [];
  let [start, at, depth] = [0, 0, 0];
  let body = new Body();
  let open: SplitSql["open"];
  while (at < sql.length) {
    const token = readToken(sql, at);
    if (token.isOpen !== undefined) open = token.isOpen;
    if (token.word !== undefined) body.add(token.word);
    const sign = token.end === at + 1 ? sql[at] : "";
    if (sign === "(") depth++;
    else if (sign === ")") depth = Math.max(0, depth - 1);
    else if (sign === ";" && depth === 0 && body.depth === 0) {
      complete.push(sql.slice(start, token.end).trim());
      start = token.end;
      body = new Body();
    }
    at = token.end;
  }
  return {
    complete,
    rest: sql.slice(start),
    open: open ?? (depth > 0 ? "parenthesis" : undefined),
  };
}

/** The words that a statement begins with, in lower case; comments are skipped. */
export function firstWords(statement: string, count: number): readonly string[] {
  const words: string[] = [];
  for (let at = 0; at < statement.length && words.length < count;) {
    const token = readToken(statement, at);
    if (token.word !== undefined) words.push(token.word);
    else if (token.isBlank !== true) break;
    at = token.end;
  }
  return words;
}

/** Whether a text holds nothing but blanks and comments. */
export function isBlankSql(sql: string): boolean {
  for (let at = 0; at < sql.length;) {
    const token = readToken(sql, at);
    if (token.isBlank !== true) return false;
    at = token.end;
  }
  return true;
}
