/**
 * @module A bounded scan of JSON text (RFC 8259) that finds the first syntax error, the first
 * repeated key, and excessive nesting, each with its offset. JavaScript's own parser does not
 * reliably report positions, and does not report repeated keys.
 */

import { describeValue } from "../lib/describe_value.ts";

interface JsonFault {
  /** UTF-16 offset into the text. */
  readonly offset: number;
  readonly message: string;
}

class Fault extends Error {
  constructor(readonly offset: number, message: string) {
    super(message);
  }
}

const BLANK = /[ \t\n\r]*/y;
// deno-lint-ignore no-control-regex -- JSON forbids raw control characters in strings
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const SCALAR = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null/y;

/** Maximum number of keys in one object. */
const MAX_KEYS = 10_000;

/** An open object (with the keys so far) or array. */
type Container = Set<string> | undefined;

class Scanner {
  #offset = 0;
  readonly #open: Container[] = [];

  readonly #text: string;
  readonly #maxDepth: number;

  constructor(text: string, maxDepth: number) {
    this.#text = text;
    this.#maxDepth = maxDepth;
  }

  scan(): void {
    do {
      this.#value();
      while (
        this.#open.length > 0 && this.#closeOrContinue()
      ) { /* close every container that ends here */ }
    } while (this.#open.length > 0);
    this.#take(BLANK);
    if (this.#offset < this.#text.length) throw this.#unexpected("the end of the document");
  }

  /** Reads a scalar or an empty container, stepping into nested containers. */
  #value(): void {
    for (;;) {
      this.#take(BLANK);
      const character = this.#text[this.#offset];
      if (character !== "{" && character !== "[") return this.#scalar(character);
      if (this.#open.length === this.#maxDepth) {
        throw new Fault(
          this.#offset,
          `Nest objects and arrays at most ${this.#maxDepth} levels deep`,
        );
      }
      this.#offset++;
      this.#open.push(character === "{" ? new Set() : undefined);
      this.#take(BLANK);
      const end = character === "{" ? "}" : "]";
      if (this.#text[this.#offset] === end) return;
      if (character === "{") this.#key();
    }
  }

  #scalar(first: string | undefined): void {
    if (first === '"') return void this.#string("a string");
    if (this.#take(SCALAR) === "") throw this.#unexpected("a value");
  }

  /**
   * Reads the text after a value. Returns true if the container ends there, or false if another
   * value follows.
   */
  #closeOrContinue(): boolean {
    this.#take(BLANK);
    const keys = this.#open.at(-1);
    const end = keys === undefined ? "]" : "}";
    const character = this.#text[this.#offset];
    if (character === end) {
      this.#offset++;
      this.#open.pop();
      return true;
    }
    if (character !== ",") throw this.#unexpected(`"," or "${end}"`);
    this.#offset++;
    this.#take(BLANK);
    if (this.#text[this.#offset] === end) {
      throw new Fault(this.#offset, `Remove the comma before "${end}"`);
    }
    if (keys !== undefined) this.#key();
    return false;
  }

  #key(): void {
    const start = this.#offset;
    const key = JSON.parse(this.#string("a key in double quotes")) as string;
    const keys = this.#open.at(-1);
    if (keys?.has(key)) throw new Fault(start, `Key ${describeValue(key)} appears twice`);
    keys?.add(key);
    if (keys !== undefined && keys.size > MAX_KEYS) {
      throw new Fault(start, `Use at most ${MAX_KEYS} keys in an object`);
    }
    this.#take(BLANK);
    if (this.#text[this.#offset] !== ":") throw this.#unexpected('":"');
    this.#offset++;
  }

  #string(wanted: string): string {
    if (this.#text[this.#offset] !== '"') throw this.#unexpected(wanted);
    const text = this.#take(STRING);
    if (text === "") {
      throw new Fault(this.#offset, "This string is not closed or has an invalid escape");
    }
    return text;
  }

  #take(token: RegExp): string {
    token.lastIndex = this.#offset;
    const text = token.exec(this.#text)?.[0] ?? "";
    this.#offset += text.length;
    return text;
  }

  #unexpected(wanted: string): Fault {
    const found = this.#text.codePointAt(this.#offset);
    const shown = found === undefined
      ? "the end of the text"
      : found === 0x22
      ? "a string"
      : JSON.stringify(String.fromCodePoint(found));
    return new Fault(this.#offset, `Expected ${wanted}, found ${shown}`);
  }
}

/** Finds the first fault in JSON text. Returns `undefined` if there is none. */
export function findJsonFault(text: string, maxDepth: number): JsonFault | undefined {
  try {
    new Scanner(text, maxDepth).scan();
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return { offset: error.offset, message: error.message };
    throw error;
  }
}
