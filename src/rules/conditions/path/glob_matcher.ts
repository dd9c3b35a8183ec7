/**
 * @module Matches globs in one pass, from the end of the path to its start. At each position, a bit
 * for each state shows whether the rest of the path matches the rest of the glob from this state.
 * Matching costs at most path length × glob length / 32 for any glob, without backtracking. If
 * there are several ways to match, every `**` and `*`, from left to right, takes as little as
 * possible.
 */
import { captureNames, type GlobToken, literalPrefix } from "../../pattern/glob.ts";
import {
  GATE_WIDTH,
  type GlobProgram,
  layOut,
  type PathUnits,
  readUnits,
  SLASH,
} from "./glob_program.ts";

const BITS = 32;
const NO_CAPTURES: readonly string[] = Object.freeze([]);

/** Rows of the table for kinds of states; rows for characters follow. */
const ROWS = { any: 0, deep: 1, one: 2, gate: 3, accept: 4, none: 5 } as const;
const FIRST_TEXT_ROW = 6;

/**
 * The states of a program as bit sets in one table, with a row for each kind and each character.
 */
class StateTable {
  /** Number of words in a row. */
  readonly words: number;
  readonly bits: Int32Array;
  readonly #rows = new Map<number, number>();

  constructor({ states }: GlobProgram) {
    this.words = Math.ceil((states.length + 1) / BITS);
    for (const { kind, code } of states) {
      if (kind === "text" && !this.#rows.has(code)) {
        this.#rows.set(code, (FIRST_TEXT_ROW + this.#rows.size) * this.words);
      }
    }
    this.bits = new Int32Array((FIRST_TEXT_ROW + this.#rows.size) * this.words);
    states.forEach(({ kind, code }, index) =>
      this.#add(kind === "text" ? this.rowOf(code) : this.start(kind), index)
    );
    this.#add(this.start("accept"), states.length);
  }

  /** Returns the index in `bits` where the row for a kind of states starts. */
  start(kind: keyof typeof ROWS): number {
    return ROWS[kind] * this.words;
  }

  /** Returns the index in `bits` where the row for a character starts. */
  rowOf(code: number): number {
    return this.#rows.get(code) ?? this.start("none");
  }

  #add(row: number, index: number): void {
    const word = row + (index >>> 5);
    this.bits[word] = (this.bits[word] ?? 0) | (1 << (index & 31));
  }
}

/** Maximum size of the scratch space to keep between matches, in words. */
const KEPT_SCRATCH = 1 << 16;

/**
 * Bit sets for every position of a path. The array grows as needed and is reused by every match.
 */
let scratch = new Int32Array(1024);

function reserve(size: number): Int32Array {
  if (size > KEPT_SCRATCH) return new Int32Array(size);
  if (scratch.length < size) scratch = new Int32Array(Math.min(size * 2, KEPT_SCRATCH));
  return scratch;
}

/** A glob that is ready to match normalized paths. */
export class GlobMatcher {
  /** The names of the captures, in order. */
  readonly names: readonly string[];
  /** The text that every matching path starts with. */
  readonly prefix: string;
  readonly #program: GlobProgram;
  readonly #table: StateTable;
  readonly #takesAnyRest: boolean;

  constructor(tokens: readonly GlobToken[]) {
    this.names = captureNames(tokens);
    this.prefix = literalPrefix(tokens);
    this.#program = layOut(tokens, this.prefix);
    this.#table = new StateTable(this.#program);
    const { states } = this.#program;
    this.#takesAnyRest = states.length === 1 && states[0]?.kind === "deep";
  }

  /** Returns true if the whole path fits the glob. */
  matches(path: string): boolean {
    if (!path.startsWith(this.prefix)) return false;
    return this.#takesAnyRest || this.#scan(path, this.#units(path)) !== undefined;
  }

  /**
   * Returns the captured strings, in the order of `names`, or `undefined` if the path does not fit.
   */
  capture(path: string): readonly string[] | undefined {
    if (this.names.length === 0) return this.matches(path) ? NO_CAPTURES : undefined;
    if (!path.startsWith(this.prefix)) return undefined;
    if (this.#takesAnyRest) return [path.slice(this.prefix.length)];
    const units = this.#units(path);
    const sets = this.#scan(path, units);
    return sets === undefined ? undefined : this.#walk(sets, { path, units });
  }

  #units(path: string): PathUnits | undefined {
    const from = this.prefix.length;
    return path.indexOf("%", from) < 0 ? undefined : readUnits(path, from);
  }

  /**
   * Returns the set of states at each position, or `undefined` if the glob does not match from its
   * start. Stops early if no state is left.
   */
  #scan(path: string, units: PathUnits | undefined): Int32Array | undefined {
    const { words, bits } = this.#table;
    const start = this.prefix.length;
    const length = units === undefined ? path.length - start : units.codes.length;
    const sets = reserve((length + 1) * words);
    const accept = this.#table.start("accept");
    for (let word = 0; word < words; word++) sets[length * words + word] = bits[accept + word] ?? 0;
    this.#close(sets, length * words);
    for (let at = length - 1; at >= 0; at--) {
      const code = units === undefined ? path.charCodeAt(start + at) : units.codes[at] ?? 0;
      const alive = words === 1
        ? this.#stepNarrow(sets, at, code)
        : this.#stepWide(sets, at * words, code);
      if (!alive) return undefined;
    }
    return ((sets[0] ?? 0) & 1) === 0 ? undefined : sets;
  }

  #stepNarrow(sets: Int32Array, at: number, code: number): boolean {
    const { bits } = this.#table;
    const next = sets[at + 1] ?? 0;
    const any = bits[ROWS.any] ?? 0;
    const deep = bits[ROWS.deep] ?? 0;
    let takes = bits[this.#table.rowOf(code)] ?? 0;
    let stays = deep;
    if (code !== SLASH) {
      takes |= bits[ROWS.one] ?? 0;
      stays |= any;
    }
    let set = ((next >>> 1) & takes) | (next & stays);
    set |= (set >>> 1) & (any | deep);
    set |= ((set >>> 1) | (set >>> GATE_WIDTH)) & (bits[ROWS.gate] ?? 0);
    sets[at] = set;
    return set !== 0;
  }

  #stepWide(sets: Int32Array, base: number, code: number): boolean {
    const { words, bits } = this.#table;
    const text = this.#table.rowOf(code);
    const any = this.#table.start("any");
    const deep = this.#table.start("deep");
    const one = this.#table.start("one");
    const inSegment = code === SLASH ? 0 : -1;
    let alive = 0;
    for (let word = 0; word < words; word++) {
      const next = sets[base + words + word] ?? 0;
      const carry = word + 1 < words ? (sets[base + words + word + 1] ?? 0) << 31 : 0;
      const takes = (bits[text + word] ?? 0) | ((bits[one + word] ?? 0) & inSegment);
      const stays = (bits[deep + word] ?? 0) | ((bits[any + word] ?? 0) & inSegment);
      const set = (((next >>> 1) | carry) & takes) | (next & stays);
      sets[base + word] = set;
      alive |= set;
    }
    if (alive !== 0) this.#close(sets, base);
    return alive !== 0;
  }

  /** Adds the states that can reach a state of the set without consuming a character. */
  #close(sets: Int32Array, base: number): void {
    const { words, bits } = this.#table;
    const any = this.#table.start("any");
    const deep = this.#table.start("deep");
    const gate = this.#table.start("gate");
    for (let word = words - 1; word >= 0; word--) {
      const above = word + 1 < words ? sets[base + word + 1] ?? 0 : 0;
      let set = sets[base + word] ?? 0;
      set |= ((set >>> 1) | (above << 31)) & ((bits[any + word] ?? 0) | (bits[deep + word] ?? 0));
      const past = (set >>> GATE_WIDTH) | (above << (BITS - GATE_WIDTH));
      set |= ((set >>> 1) | (above << 31) | past) & (bits[gate + word] ?? 0);
      sets[base + word] = set;
    }
  }

  #isIn(sets: Int32Array, position: number, state: number): boolean {
    const word = sets[position * this.#table.words + (state >>> 5)] ?? 0;
    return (word & (1 << (state & 31))) !== 0;
  }

  /** Follows the sets from the start, and leaves each loop as early as possible. */
  #walk(
    sets: Int32Array,
    subject: { readonly path: string; readonly units: PathUnits | undefined },
  ): readonly string[] {
    const { states, captures } = this.#program;
    const { path, units } = subject;
    const start = this.prefix.length;
    const offset = (at: number) => units === undefined ? start + at : units.offsets[at] ?? 0;
    const found: string[] = [];
    let from = start;
    let at = 0;
    for (let state = 0; state < states.length; state++) {
      const current = states[state];
      if (captures[found.length]?.from === state) from = offset(at);
      if (current?.kind === "text" || current?.kind === "one") at += 1;
      else if (current?.kind === "gate") {
        state += this.#isIn(sets, at, state + GATE_WIDTH) ? GATE_WIDTH - 1 : 0;
      } else while (!this.#isIn(sets, at, state + 1)) at += 1;
      if (captures[found.length]?.to === state + 1) found.push(path.slice(from, offset(at)));
    }
    return found;
  }
}
