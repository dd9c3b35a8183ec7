/**
 * @module Finds the positions of assignments and other lines in a dotenv file. The `dotenv` package
 * parses values, but silently skips what it cannot read. Pure.
 */

interface DotenvAssignment {
  readonly key: string;
  /** From 1. */
  readonly line: number;
  /** The whole assignment, including all lines of a quoted value. */
  readonly text: string;
}

interface DotenvLineProblem {
  /** From 1. */
  readonly line: number;
  readonly message: string;
}

const BLANK_OR_COMMENT = /[ \t]*(?:#[^\n]*)?(?:\n|$)/y;
const NAME = /[ \t]*(?:export[ \t]+)?([\w.-]+)[ \t]*=[ \t]*/y;
const QUOTED = /(?:'(?:\\'|[^'])*'|"(?:\\"|[^"])*"|`(?:\\`|[^`])*`)[ \t]*(?:#[^\n]*)?(?=\n|$)/y;
const UNQUOTED = /[^\n]*/y;
const LINE = /[^\n]*(?:\n|$)/y;

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** Reads the assignments in a file's text, in order. Problems never contain values. */
export function readDotenvLines(source: string): {
  readonly assignments: readonly DotenvAssignment[];
  readonly problems: readonly DotenvLineProblem[];
} {
  const text = source.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n");
  const assignments: DotenvAssignment[] = [];
  const problems: DotenvLineProblem[] = [];
  let [at, line] = [0, 1];
  const advance = (length: number): string => {
    const passed = text.slice(at, at + length);
    line += passed.split("\n").length - 1;
    at += length;
    return passed;
  };
  while (at < text.length) {
    const blank = matchAt(BLANK_OR_COMMENT, text, at);
    if (blank !== null) {
      advance(blank[0].length);
      continue;
    }
    const start = line;
    const name = matchAt(NAME, text, at);
    if (name === null) {
      problems.push({ line: start, message: "is not an assignment: write NAME=value" });
      advance(matchAt(LINE, text, at)![0].length);
      continue;
    }
    const valueAt = at + name[0].length;
    const isQuoted = /["'`]/.test(text.charAt(valueAt));
    const value = matchAt(isQuoted ? QUOTED : UNQUOTED, text, valueAt);
    if (value === null) {
      problems.push({ line: start, message: "has a quote that is not closed, or text after it" });
      advance(matchAt(LINE, text, at)![0].length);
      continue;
    }
    assignments.push({
      key: name[1]!,
      line: start,
      text: advance(name[0].length + value[0].length),
    });
    advance(matchAt(LINE, text, at)![0].length);
  }
  return { assignments, problems };
}
