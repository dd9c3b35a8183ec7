/**
 * Matching globs in one pass, from the end of the path to its start: a bit per
 * state says whether the rest of the path fits the rest of the glob from there.
 * A match costs at most path length times glob length / 32, whatever the glob;
 * there is no backtracking. Where a path can be cut in several ways, every
 * `**` and `*`, from left to right, takes as little as it can.
 *
 * @module
 */
import { captureNames, literalPrefix } from "../glob.ts";
import type { GlobToken } from "../types.ts";
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

/** The states of a program as bit sets of `words` 32-bit words. */
class StateSets {
  readonly words: number;
  readonly any: Int32Array;
  readonly deep: Int32Array;
  readonly one: Int32Array;
  readonly gate: Int32Array;
  readonly accept: Int32Array;
  private readonly byCode = new Map<number, Int32Array>();

  constructor(program: GlobProgram) {
    this.words = Math.ceil((program.states.length + 1) / BITS);
    this.any = this.empty();
    this.deep = this.empty();
    this.one = this.empty();
    this.gate = this.empty();
    this.accept = this.empty();
    program.states.forEach((state, index) => {
      if (state.kind === "text") this.add(this.ofCode(state.code), index);
      else this.add(this[state.kind], index);
    });
    this.add(this.accept, program.states.length);
  }

  /** The states that take the character and go on to the next state. */
  get(code: number): Int32Array | undefined {
    return this.byCode.get(code);
  }

  private empty(): Int32Array {
    return new Int32Array(this.words);
  }

  private ofCode(code: number): Int32Array {
    const found = this.byCode.get(code) ?? this.empty();
    this.byCode.set(code, found);
    return found;
  }

  private add(set: Int32Array, index: number): void {
    set[index >>> 5] = (set[index >>> 5] ?? 0) | (1 << (index & 31));
  }
}

/** The largest scratch that is kept between matches, in words. */
const KEPT_SCRATCH = 1 << 16;

/** Bit sets for every position of a path; grown as needed, reused by every match. */
let scratch = new Int32Array(1024);

function reserve(size: number): Int32Array {
  if (size > KEPT_SCRATCH) return new Int32Array(size);
  if (scratch.length < size) scratch = new Int32Array(Math.min(size * 2, KEPT_SCRATCH));
  return scratch;
}

/** A glob ready to match normalized paths. */
export class GlobMatcher {
  /** The names of the captures, in order. */
  readonly names: readonly string[];
  /** The text that every matching path begins with. */
  readonly prefix: string;
  private readonly program: GlobProgram;
  private readonly sets: StateSets;
  private readonly takesAnyRest: boolean;

  constructor(tokens: readonly GlobToken[]) {
    this.names = captureNames(tokens);
    this.prefix = literalPrefix(tokens);
    this.program = layOut(tokens, this.prefix);
    this.sets = new StateSets(this.program);
    const { states } = this.program;
    this.takesAnyRest = states.length === 1 && states[0]?.kind === "deep";
  }

  /** True where the whole path fits the glob. */
  matches(path: string): boolean {
    if (!path.startsWith(this.prefix)) return false;
    return this.takesAnyRest || this.scan(path, this.units(path)) !== undefined;
  }

  /** The captured texts, in the order of `names`; `undefined` where the path does not fit. */
  capture(path: string): readonly string[] | undefined {
    if (this.names.length === 0) return this.matches(path) ? NO_CAPTURES : undefined;
    if (!path.startsWith(this.prefix)) return undefined;
    if (this.takesAnyRest) return [path.slice(this.prefix.length)];
    const units = this.units(path);
    const sets = this.scan(path, units);
    return sets === undefined ? undefined : this.walk(sets, { path, units });
  }

  private units(path: string): PathUnits | undefined {
    const from = this.prefix.length;
    return path.indexOf("%", from) < 0 ? undefined : readUnits(path, from);
  }

  /**
   * The set of each position, or `undefined` where the start is in none; stops
   * early where no state is left.
   */
  private scan(path: string, units: PathUnits | undefined): Int32Array | undefined {
    const { words, accept } = this.sets;
    const start = this.prefix.length;
    const length = units === undefined ? path.length - start : units.codes.length;
    const sets = reserve((length + 1) * words);
    sets.set(accept, length * words);
    this.close(sets, length * words);
    for (let at = length - 1; at >= 0; at--) {
      const code = units === undefined ? path.charCodeAt(start + at) : units.codes[at] ?? 0;
      const alive = words === 1
        ? this.stepNarrow(sets, at, code)
        : this.stepWide(sets, at * words, code);
      if (!alive) return undefined;
    }
    return ((sets[0] ?? 0) & 1) === 0 ? undefined : sets;
  }

  private stepNarrow(sets: Int32Array, at: number, code: number): boolean {
    const { any, deep, one, gate } = this.sets;
    const next = sets[at + 1] ?? 0;
    let takes = this.sets.get(code)?.[0] ?? 0;
    let stays = deep[0] ?? 0;
    if (code !== SLASH) {
      takes |= one[0] ?? 0;
      stays |= any[0] ?? 0;
    }
    let set = ((next >>> 1) & takes) | (next & stays);
    set |= (set >>> 1) & ((any[0] ?? 0) | (deep[0] ?? 0));
    set |= ((set >>> 1) | (set >>> GATE_WIDTH)) & (gate[0] ?? 0);
    sets[at] = set;
    return set !== 0;
  }

  private stepWide(sets: Int32Array, base: number, code: number): boolean {
    const { words, any, deep, one } = this.sets;
    const text = this.sets.get(code);
    const inSegment = code === SLASH ? 0 : -1;
    let alive = 0;
    for (let word = 0; word < words; word++) {
      const next = sets[base + words + word] ?? 0;
      const carry = word + 1 < words ? (sets[base + words + word + 1] ?? 0) << 31 : 0;
      const takes = (text?.[word] ?? 0) | ((one[word] ?? 0) & inSegment);
      const stays = (deep[word] ?? 0) | ((any[word] ?? 0) & inSegment);
      const set = (((next >>> 1) | carry) & takes) | (next & stays);
      sets[base + word] = set;
      alive |= set;
    }
    if (alive !== 0) this.close(sets, base);
    return alive !== 0;
  }

  /** Adds the states from which a state of the set is reached without a character. */
  private close(sets: Int32Array, base: number): void {
    const { words, any, deep, gate } = this.sets;
    for (let word = words - 1; word >= 0; word--) {
      const above = word + 1 < words ? sets[base + word + 1] ?? 0 : 0;
      let set = sets[base + word] ?? 0;
      set |= ((set >>> 1) | (above << 31)) & ((any[word] ?? 0) | (deep[word] ?? 0));
      const past = (set >>> GATE_WIDTH) | (above << (BITS - GATE_WIDTH));
      set |= ((set >>> 1) | (above << 31) | past) & (gate[word] ?? 0);
      sets[base + word] = set;
    }
  }

  private isIn(sets: Int32Array, position: number, state: number): boolean {
    const word = sets[position * this.sets.words + (state >>> 5)] ?? 0;
    return (word & (1 << (state & 31))) !== 0;
  }

  /** Follows the sets from the start, each loop left as soon as it can be. */
  private walk(
    sets: Int32Array,
    subject: { readonly path: string; readonly units: PathUnits | undefined },
  ): readonly string[] {
    const { states, captures } = this.program;
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
        state += this.isIn(sets, at, state + GATE_WIDTH) ? GATE_WIDTH - 1 : 0;
      } else while (!this.isIn(sets, at, state + 1)) at += 1;
      if (captures[found.length]?.to === state + 1) found.push(path.slice(from, offset(at)));
    }
    return found;
  }
}
