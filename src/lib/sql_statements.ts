/** @module Splits SQL into statements as `psql` does. */

export interface Statement {
  /** Without the semicolon. */
  readonly text: string;
  /** Position of the statement in the complete SQL, in UTF-16 code units. */
  readonly start: number;
}

/** The construct whose end the scanner is looking for. */
type Inside =
  | { readonly type: "quotes"; readonly quote: string; readonly escapes: boolean }
  | { readonly type: "dollars"; readonly tag: string }
  | { readonly type: "line comment" }
  | { readonly type: "block comment"; depth: number };

const WORD = /[A-Za-z_\x80-\uffff][\w$\x80-\uffff]*/y;
const DOLLARS = /\$(?:[A-Za-z_\x80-\uffff][\w\x80-\uffff]*)?\$/y;
/** A `$` at the end of the buffer that may begin a dollar quote. */
const UNFINISHED_DOLLARS = /\$(?:[A-Za-z_\x80-\uffff][\w\x80-\uffff]*)?$/y;
/** Up to the next significant character. */
const PLAIN = /[^A-Za-z_\x80-\uffff$'"/\-();]+/y;
const BLOCK_EDGE = /\/\*|\*\//g;
/** Number of words at the start of a statement that show whether it can contain function bodies. */
const FIRST_WORDS = 4;

/** Accepts SQL in pieces, and returns statements as soon as they are complete. */
export class StatementSplitter {
  #buffer = "";
  /** Position of the buffer in the complete SQL. */
  #offset = 0;
  #at = 0;
  #inside: Inside | undefined;
  #parentheses = 0;
  #bodies = 0;
  #words: string[] = [];

  /** Number of characters in the incomplete statement. */
  get pendingLength(): number {
    return this.#buffer.length;
  }

  /** The open construct in which a semicolon does not end a statement. */
  get open(): "quote" | "comment" | "parenthesis" | undefined {
    const inside = this.#inside?.type;
    if (inside === "quotes" || inside === "dollars") return "quote";
    if (inside === "block comment") return "comment";
    return this.#parentheses > 0 ? "parenthesis" : undefined;
  }

  /** Whether only spaces and complete comments follow the last complete statement. */
  get isBetween(): boolean {
    return this.open === undefined && isBlankSql(this.#buffer);
  }

  /** Accepts a piece of SQL, and returns the statements that it completes. */
  push(piece: string): readonly Statement[] {
    this.#buffer += piece;
    return this.#scan(false);
  }

  /** Returns the remaining statements, including a final statement without a semicolon. */
  end(): readonly Statement[] {
    const statements = [...this.#scan(true)];
    this.#cut(this.#buffer.length, statements);
    return statements;
  }

  /** Removes and returns the text after the last complete statement. */
  takeRest(): string {
    const rest = this.#buffer;
    this.#offset += rest.length;
    this.#reset("");
    return rest;
  }

  #scan(isLast: boolean): readonly Statement[] {
    const statements: Statement[] = [];
    while (this.#at < this.#buffer.length) {
      const before = this.#at;
      if (this.#inside !== undefined) this.#leave(this.#inside, isLast);
      else if (this.#step(isLast)) this.#cut(this.#at - 1, statements);
      else if (this.#at === before && this.#inside === undefined) break;
      if (this.#at === before && this.#inside !== undefined) break;
    }
    return statements;
  }

  /** Reads one token. Returns whether the token is the semicolon at the end of a statement. */
  #step(isLast: boolean): boolean {
    const char = this.#buffer[this.#at]!;
    const next = this.#buffer[this.#at + 1];
    if (next === undefined && !isLast && "-/$".includes(char)) return false;
    if (char === "'" || char === '"') {
      this.#enter({ type: "quotes", quote: char, escapes: false }, 1);
    } else if (char === "-" && next === "-") this.#enter({ type: "line comment" }, 2);
    else if (char === "/" && next === "*") this.#enter({ type: "block comment", depth: 1 }, 2);
    else if (char === "$") this.#readDollars(isLast);
    else if (char === ";") {
      this.#at++;
      return this.#parentheses === 0 && this.#bodies === 0;
    } else if (!this.#readWord(isLast)) this.#readPlain(char);
    return false;
  }

  #enter(inside: Inside, length: number): void {
    this.#inside = inside;
    this.#at += length;
  }

  #readDollars(isLast: boolean): void {
    const tag = this.#match(DOLLARS);
    if (tag !== undefined) this.#enter({ type: "dollars", tag }, tag.length);
    else if (isLast || this.#match(UNFINISHED_DOLLARS) === undefined) this.#at++;
  }

  /** @returns whether a word begins here, even if it is incomplete */
  #readWord(isLast: boolean): boolean {
    const word = this.#match(WORD);
    if (word === undefined) return false;
    const after = this.#at + word.length;
    if (after === this.#buffer.length && !isLast) return true;
    this.#at = after;
    if (/^e$/i.test(word) && this.#buffer[after] === "'") {
      this.#enter({ type: "quotes", quote: "'", escapes: true }, 1);
    } else {
      this.#noteWord(word.toLowerCase());
    }
    return true;
  }

  #readPlain(char: string): void {
    if (char === "(") this.#parentheses++;
    if (char === ")") this.#parentheses = Math.max(0, this.#parentheses - 1);
    this.#at += this.#match(PLAIN)?.length ?? 1;
  }

  /** Bodies of SQL-standard functions contain statements between BEGIN and END. */
  #noteWord(word: string): void {
    if (this.#words.length < FIRST_WORDS) this.#words.push(word);
    const [create, or, replace, kind] = this.#words;
    const made = or === "or" && replace === "replace" ? kind : or;
    if (create !== "create" || (made !== "function" && made !== "procedure")) return;
    if (this.#parentheses > 0) return;
    if (word === "begin" || (word === "case" && this.#bodies > 0)) this.#bodies++;
    if (word === "end" && this.#bodies > 0) this.#bodies--;
  }

  /** Skips to the end of a quote or comment, or to the end of the available text. */
  #leave(inside: Inside, isLast: boolean): void {
    if (inside.type === "quotes") this.#leaveQuotes(inside, isLast);
    else if (inside.type === "block comment") this.#leaveBlock(inside, isLast);
    else if (inside.type === "line comment") this.#leaveAt("\n", isLast);
    else this.#leaveAt(inside.tag, isLast);
  }

  #leaveAt(end: string, isLast: boolean): void {
    const found = this.#buffer.indexOf(end, this.#at);
    if (found >= 0) {
      this.#at = found + end.length;
      this.#inside = undefined;
    } else {
      this.#at = this.#keep(end.length - 1, isLast);
    }
  }

  #leaveQuotes({ quote, escapes }: Inside & { readonly type: "quotes" }, isLast: boolean): void {
    const edge = escapes ? /['\\]/g : quote === "'" ? /'/g : /"/g;
    edge.lastIndex = this.#at;
    const found = edge.exec(this.#buffer);
    if (found === null) {
      this.#at = this.#buffer.length;
      return;
    }
    const after = found.index + 1;
    if (after === this.#buffer.length && !isLast) {
      this.#at = found.index;
      return;
    }
    const isPair = found[0] === "\\" || this.#buffer[after] === quote;
    this.#at = isPair ? Math.min(after + 1, this.#buffer.length) : after;
    if (!isPair) this.#inside = undefined;
  }

  #leaveBlock(inside: Inside & { readonly type: "block comment" }, isLast: boolean): void {
    BLOCK_EDGE.lastIndex = this.#at;
    const edge = BLOCK_EDGE.exec(this.#buffer);
    if (edge === null) {
      this.#at = this.#keep(1, isLast);
      return;
    }
    this.#at = edge.index + 2;
    inside.depth += edge[0] === "/*" ? 1 : -1;
    if (inside.depth === 0) this.#inside = undefined;
  }

  /**
   * Returns how far to skip. Keeps the end of the text, because a token there may continue in the
   * next piece.
   */
  #keep(characters: number, isLast: boolean): number {
    return isLast ? this.#buffer.length : Math.max(this.#at, this.#buffer.length - characters);
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#buffer)?.[0];
  }

  /** Takes the statement up to `end` from the buffer, unless it is empty. */
  #cut(end: number, statements: Statement[]): void {
    const text = this.#buffer.slice(0, end);
    if (!isBlankSql(text)) statements.push({ text, start: this.#offset });
    this.#offset += Math.max(this.#at, end);
    this.#reset(this.#buffer.slice(Math.max(this.#at, end)));
  }

  #reset(buffer: string): void {
    this.#buffer = buffer;
    this.#at = 0;
    this.#inside = undefined;
    this.#parentheses = 0;
    this.#bodies = 0;
    this.#words = [];
  }
}

const SPACE_OR_COMMENT = /(?:[ \t\n\r\f\v;]+|--[^\n]*|\/\*)/y;

/** Returns the start of the first token from `at`, after spaces, comments and empty statements. */
export function firstTokenAt(text: string, at = 0): number {
  for (;;) {
    SPACE_OR_COMMENT.lastIndex = at;
    const found = SPACE_OR_COMMENT.exec(text)?.[0];
    if (found === undefined) return at;
    at = found === "/*" ? endOfBlock(text, at) : at + found.length;
  }
}

/** Returns the first words of a statement, in lower case and without comments. */
export function firstWords(statement: string, count: number): readonly string[] {
  const words: string[] = [];
  let at = firstTokenAt(statement);
  while (words.length < count) {
    WORD.lastIndex = at;
    const word = WORD.exec(statement)?.[0];
    if (word === undefined) break;
    words.push(word.toLowerCase());
    at = firstTokenAt(statement, at + word.length);
  }
  return words;
}

/** Returns whether SQL contains no statement, only spaces, comments and semicolons. */
export function isBlankSql(text: string): boolean {
  return firstTokenAt(text) === text.length;
}

function endOfBlock(text: string, start: number): number {
  let depth = 0;
  const edge = /\/\*|\*\//g;
  edge.lastIndex = start;
  for (let found = edge.exec(text); found !== null; found = edge.exec(text)) {
    depth += found[0] === "/*" ? 1 : -1;
    if (depth === 0) return edge.lastIndex;
  }
  return text.length;
}

/** Splits complete SQL into statements. */
export function splitStatements(sql: string): readonly Statement[] {
  const splitter = new StatementSplitter();
  return [...splitter.push(sql), ...splitter.end()];
}
