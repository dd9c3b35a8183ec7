/**
 * @module Parses untrusted JSON (RFC 8259). Depth is checked before anything is built. Large text
 * is parsed in pieces with pauses between them, so it does not block other requests.
 *
 * One scan finds strings and brackets. An array or object that is larger than a piece is built from
 * groups of whole elements, and each group is passed to `JSON.parse`. Anything smaller is parsed
 * together with its neighbors.
 */
import type { Pause } from "./next_turn.ts";
import { decodeUtf8 } from "./utf8.ts";

interface JsonLimits {
  /** Maximum nesting depth of objects and arrays. */
  readonly maxDepth: number;
  /** Maximum number of members in one object; 1,000 by default. */
  readonly maxMembers?: number;
  /** Yields to other work. Called after each piece of larger text. */
  readonly pause: Pause;
  /** Number of bytes that are scanned, or parsed together, in one turn; 64 KiB by default. */
  readonly pieceBytes?: number;
}

export interface ParsedJson {
  readonly value: unknown;
  /**
   * Whether an escape such as `\ud800` occurs. Only then can a string contain an unpaired
   * surrogate.
   */
  readonly mayBeIllFormed: boolean;
}

/**
 * The text is not valid JSON or UTF-8, is nested too deeply, or contains an object with too many
 * members.
 */
export class JsonError extends Error {
  override readonly name = "JsonError";
}

const PIECE_BYTES = 64 * 1024;

/**
 * Building an object gets slower with each member, and no legitimate object has that many members.
 */
const MAX_MEMBERS = 1000;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** An array or object that the scan is currently inside. */
interface Container {
  readonly isArray: boolean;
  /** Position of its opening bracket. */
  readonly start: number;
  /** Start of the group that has not been parsed yet. */
  groupStart: number;
  /** Start of the current element. */
  elementStart: number;
  /** Number of complete elements. */
  count: number;
  /**
   * The value so far; `undefined` while the container is small enough to be parsed as part of a
   * group.
   */
  value: unknown[] | Record<string, unknown> | undefined;
  /** Name of the member that is being built, in an object. */
  memberName: string;
  /** Whether the last element was built separately, so only whitespace may follow it. */
  afterBuilt: boolean;
}

const isBlank = (text: string): boolean => /^[ \t\n\r]*$/.test(text);

function decode(bytes: Uint8Array, offset: number): string {
  const result = decodeUtf8(bytes, { keepMark: true });
  if (result.ok) return result.text;
  throw new JsonError(`byte ${offset + result.fault.offset} is not UTF-8`);
}

function setMember(object: Record<string, unknown>, name: string, value: unknown): void {
  // An assignment to __proto__ would change the object's prototype.
  Object.defineProperty(object, name, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}

class PieceParser {
  #offset = 0;
  #inString = false;
  readonly #open: Container[] = [];
  #root: { readonly value: unknown; readonly end: number } | undefined;
  mayBeIllFormed = false;

  readonly #pieceBytes: number;
  readonly #maxMembers: number;

  readonly #bytes: Uint8Array;
  readonly #limits: JsonLimits;

  constructor(bytes: Uint8Array, limits: JsonLimits) {
    this.#bytes = bytes;
    this.#limits = limits;
    this.#pieceBytes = limits.pieceBytes ?? PIECE_BYTES;
    this.#maxMembers = limits.maxMembers ?? MAX_MEMBERS;
  }

  async parse(): Promise<unknown> {
    const bytes = this.#bytes;
    while (this.#offset < bytes.length) {
      this.#scan(Math.min(this.#offset + this.#pieceBytes, bytes.length));
      if (this.#offset < bytes.length) await this.#limits.pause();
    }
    if (this.#root === undefined) return this.#parseText(decode(bytes, 0), 0);
    if (this.#open.length > 0) throw new JsonError("the text ends too early");
    this.#requireBlank(this.#root.end, bytes.length);
    return this.#root.value;
  }

  #scan(end: number): void {
    const bytes = this.#bytes;
    let at = this.#offset;
    for (; at < end; at++) {
      const byte = bytes[at];
      if (this.#inString) {
        if (byte === QUOTE) this.#inString = false;
        else if (byte === BACKSLASH) this.#noteEscape(++at);
      } else if (byte === QUOTE) this.#inString = true;
      else if (byte === COMMA) this.#endElement(at);
      else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) this.#enter(at, byte === OPEN_ARRAY);
      else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) this.#leave(at, byte === CLOSE_ARRAY);
    }
    this.#offset = at;
  }

  /** Detects `\ud8..` to `\udf..`: UTF-16 surrogates. */
  #noteEscape(at: number): void {
    const bytes = this.#bytes;
    const isSurrogate = bytes[at] === 0x75 && (bytes[at + 1]! | 0x20) === 0x64 &&
      /[89a-f]/i.test(String.fromCharCode(bytes[at + 2] ?? 0));
    this.mayBeIllFormed ||= isSurrogate;
  }

  #enter(at: number, isArray: boolean): void {
    const { maxDepth } = this.#limits;
    if (this.#open.length === maxDepth) {
      throw new JsonError(
        `byte ${at} is nested too deeply: at most ${maxDepth} levels are allowed`,
      );
    }
    const parts = { groupStart: at + 1, elementStart: at + 1, memberName: "", afterBuilt: false };
    this.#open.push({ isArray, start: at, count: 0, value: undefined, ...parts });
  }

  #endElement(at: number): void {
    const container = this.#open.at(-1);
    if (container === undefined) return;
    if (++container.count >= this.#maxMembers && !container.isArray) {
      const most = `at most ${this.#maxMembers} members are allowed`;
      throw new JsonError(`the object at byte ${container.start} is too large: ${most}`);
    }
    if (container.afterBuilt) {
      this.#requireBlank(container.groupStart, at);
      container.afterBuilt = false;
      container.groupStart = at + 1;
    } else if (at - container.groupStart >= this.#pieceBytes) {
      const built = this.#build(this.#open.length - 1);
      this.#addGroup(built, { from: container.groupStart, to: at });
      container.groupStart = at + 1;
    }
    container.elementStart = at + 1;
  }

  #leave(at: number, isArray: boolean): void {
    const container = this.#open.pop();
    if (container === undefined || container.isArray !== isArray) {
      throw new JsonError(`byte ${at} closes a bracket that is not open`);
    }
    if (container.value === undefined) return;
    if (container.afterBuilt) this.#requireBlank(container.groupStart, at);
    else this.#addGroup(container, { from: container.groupStart, to: at });
    const parent = this.#open.at(-1);
    if (parent === undefined) {
      this.#root = { value: container.value, end: at + 1 };
      return;
    }
    if (Array.isArray(parent.value)) parent.value.push(container.value);
    else if (parent.value !== undefined) {
      setMember(parent.value, parent.memberName, container.value);
    }
    parent.afterBuilt = true;
    parent.groupStart = at + 1;
  }

  /** Starts to build a container, and the containers around it, which are at least as large. */
  #build(level: number): Container {
    const container = this.#open[level]!;
    if (container.value !== undefined) return container;
    if (level === 0) {
      this.#requireBlank(this.#root?.end ?? 0, container.start, this.#root === undefined);
    } else this.#stepInto(this.#build(level - 1), container.start);
    container.value = container.isArray ? [] : {};
    return container;
  }

  /** Adds the text before an element that is built separately, and reads its name. */
  #stepInto(parent: Container, elementAt: number): void {
    const { groupStart, elementStart } = parent;
    if (groupStart < elementStart) {
      this.#addGroup(parent, { from: groupStart, to: elementStart - 1 });
    }
    if (parent.isArray) return this.#requireBlank(elementStart, elementAt);
    const head = this.#text(elementStart, elementAt);
    const member = this.#parseText(`{${head}[]}`, elementStart) as Record<string, unknown>;
    const [name] = Object.keys(member);
    if (name === undefined) throw new JsonError(`byte ${elementAt} has no name before it`);
    parent.memberName = name;
  }

  #addGroup(
    { value }: Container,
    { from, to }: { readonly from: number; readonly to: number },
  ): void {
    const text = this.#text(from, to);
    if (isBlank(text)) throw new JsonError(`a value is missing at byte ${to}`);
    if (Array.isArray(value)) {
      for (const item of this.#parseText(`[${text}]`, from) as unknown[]) value.push(item);
    } else if (value !== undefined) {
      const members = this.#parseText(`{${text}}`, from) as Record<string, unknown>;
      for (const [name, member] of Object.entries(members)) setMember(value, name, member);
    }
  }

  #requireBlank(from: number, to: number, allowed = true): void {
    if (allowed && isBlank(this.#text(from, to))) return;
    throw new JsonError(`byte ${from} is followed by an unexpected character`);
  }

  #text(from: number, to: number): string {
    return decode(this.#bytes.subarray(from, to), from);
  }

  #parseText(text: string, offset: number): unknown {
    try {
      return JSON.parse(text);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new JsonError(offset === 0 ? reason : `after byte ${offset}: ${reason}`, { cause });
    }
  }
}

/**
 * Parses a JSON text. A byte order mark is skipped. As with `JSON.parse`, the last of several
 * members with the same name is used.
 *
 * @throws {JsonError} if the text is not JSON, not UTF-8, nested too deeply, or has an object with
 * too many members.
 */
export async function parseJson(bytes: Uint8Array, limits: JsonLimits): Promise<ParsedJson> {
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const parser = new PieceParser(hasMark ? bytes.subarray(3) : bytes, limits);
  const value = await parser.parse();
  return { value, mayBeIllFormed: parser.mayBeIllFormed };
}
