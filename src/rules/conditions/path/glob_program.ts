/** @module A glob as a sequence of states, one per character, with a bit for each state. */
import type { GlobToken } from "../../pattern/glob.ts";

export const SLASH = 0x2f;
/**
 * Offset of the codes for percent-encoded bytes that belong to no character. It is greater than
 * every Unicode code point.
 */
const BYTE = 0x110000;

const ESCAPES = /(?:%[0-9A-F]{2})+/y;

/**
 * The characters of a normalized path. A percent-encoded UTF-8 character counts as one, and an
 * escaped ASCII character differs from the same character unescaped.
 */
export interface PathUnits {
  readonly codes: readonly number[];
  /** The start of each character in the text, followed by the length of the text. */
  readonly offsets: readonly number[];
}

/**
 * Returns the number of bytes of the UTF-8 character that begins at `at`, or 1 if none begins
 * there.
 */
function sequenceLength(bytes: readonly number[], at: number): number {
  const lead = bytes[at] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 1;
  for (let index = 1; index < length; index++) {
    if (((bytes[at + index] ?? 0) & 0xc0) !== 0x80) return 1;
  }
  return lead > 0xf4 ? 1 : length;
}

const LEAD_BITS = [0, 0x7f, 0x1f, 0x0f, 0x07];

function readEscapes(bytes: readonly number[], start: number, codes: number[], offsets: number[]) {
  for (let at = 0; at < bytes.length;) {
    const lead = bytes[at] ?? 0;
    const length = sequenceLength(bytes, at);
    let code = length === 1 ? BYTE + lead : lead & (LEAD_BITS[length] ?? 0);
    for (let index = 1; index < length; index++) {
      code = (code << 6) | ((bytes[at + index] ?? 0) & 0x3f);
    }
    codes.push(code);
    offsets.push(start + at * 3);
    at += length;
  }
}

/** Reads the text of a normalized path, starting at an index. */
export function readUnits(text: string, from: number): PathUnits {
  const codes: number[] = [];
  const offsets: number[] = [];
  for (let at = from; at < text.length;) {
    ESCAPES.lastIndex = at;
    const run = ESCAPES.exec(text)?.[0];
    if (run === undefined) {
      codes.push(text.charCodeAt(at));
      offsets.push(at);
      at += 1;
    } else {
      const bytes = run.slice(1).split("%").map((digits) => parseInt(digits, 16));
      readEscapes(bytes, at, codes, offsets);
      at += run.length;
    }
  }
  offsets.push(text.length);
  return { codes, offsets };
}

/**
 * One state: a specific character (`text`), any character except a slash (`one`), a loop over any characters
 * (`deep`) or over any characters except slashes (`any`). A `gate` precedes a `deep` that is a
 * whole segment: it leads to the `deep`, or past the `deep` and the next slash.
 */
interface GlobState {
  readonly kind: "text" | "one" | "any" | "deep" | "gate";
  /** The character of a `text` state; -1 for other states. */
  readonly code: number;
}

/** Number of states from a gate to the state after the loop and its slash. */
export const GATE_WIDTH = 3;

interface CaptureStates {
  /** The state before the start of the capture, and the state at its end. */
  readonly from: number;
  readonly to: number;
}

export interface GlobProgram {
  readonly states: readonly GlobState[];
  readonly captures: readonly CaptureStates[];
}

const KINDS: Readonly<Record<Exclude<GlobState["kind"], "text">, GlobState>> = {
  one: { kind: "one", code: -1 },
  any: { kind: "any", code: -1 },
  deep: { kind: "deep", code: -1 },
  gate: { kind: "gate", code: -1 },
};
/**
 * The states of ASCII characters. States do not refer to their glob, so thousands of globs can
 * share them.
 */
const ASCII = Array.from({ length: 128 }, (_, code): GlobState => ({ kind: "text", code }));

const textState = (code: number): GlobState => ASCII[code] ?? { kind: "text", code };

/** Adds a loop, and merges it with adjacent or redundant loops. */
function addLoop(states: GlobState[], kind: "any" | "deep", isSegment: boolean): void {
  const last = states.at(-1);
  if (last?.kind === "deep" || last?.kind === kind) return;
  if (last?.kind === "any") states.pop();
  const followsGate = states.at(-1)?.code === SLASH && states.at(-3)?.kind === "gate";
  if (kind === "deep" && followsGate) states.splice(-GATE_WIDTH);
  if (isSegment && last?.kind !== "any") states.push(KINDS.gate);
  states.push(KINDS[kind]);
}

function isWholeSegment(tokens: readonly GlobToken[], index: number, prefix: string): boolean {
  const before = tokens[index - 1];
  const after = tokens[index + 1];
  const opens = before === undefined
    ? prefix === "" || prefix.endsWith("/")
    : before.type === "text" && before.text.endsWith("/");
  return opens && after?.type === "text" && after.text.startsWith("/");
}

/** Converts the tokens after the literal prefix to states. */
export function layOut(tokens: readonly GlobToken[], prefix: string): GlobProgram {
  const states: GlobState[] = [];
  const captures: CaptureStates[] = [];
  const rest = prefix === "" ? tokens : tokens.slice(1);
  rest.forEach((token, index) => {
    if (token.type === "text") {
      states.push(...readUnits(token.text, 0).codes.map(textState));
    } else if (token.type === "one") {
      states.push(KINDS.one);
    } else if (token.type === "any" || token.type === "deep") {
      addLoop(states, token.type, token.type === "deep" && isWholeSegment(rest, index, prefix));
    } else {
      const from = states.length;
      if (token.type === "splat") states.push(KINDS.deep);
      else states.push(KINDS.one, KINDS.any);
      captures.push({ from, to: states.length });
    }
  });
  return { states, captures };
}
