/**
 * @module Path globs. `*` matches text inside one segment, `**` across segments, `?` one character,
 * `{name}` one whole non-empty segment, and `{name...}` the rest of the path, which may be empty.
 * `\` makes the next character literal.
 *
 * A `**` that is a whole segment also matches zero segments: `**` between `/a/` and `/b` matches
 * `/a/b`. Neither `/a/**` nor `/a/{rest...}` matches `/a`; both match `/a/`.
 */
import { canonicalPathText } from "../request/path.ts";

/** Maximum length of a glob, in characters. This limits the cost of one match. */
export const MAX_GLOB_LENGTH = 1024;

/** A problem at a position in a glob or template. */
export interface PatternProblem {
  /** The message. It begins with a capital letter and has no final period. */
  readonly message: string;
  readonly hint?: string;
  /** Its position in the source text, in UTF-16 code units. */
  readonly offset: number;
}

/**
 * One part of a parsed glob. `text` is literal, `any` is `*` (inside one segment), `deep` is `**`
 * (across segments), and `one` is `?`. `capture` is a whole non-empty segment, and `splat` is the
 * rest of the path, which may be empty.
 */
export type GlobToken =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "any" }
  | { readonly type: "deep" }
  | { readonly type: "one" }
  | { readonly type: "capture"; readonly name: string }
  | { readonly type: "splat"; readonly name: string };

type GlobResult =
  | { readonly tokens: readonly GlobToken[] }
  | { readonly problems: readonly PatternProblem[] };

const CAPTURE = /\{([^{}]*)\}/y;
/** Valid names of captures: letters, digits, `_` and `-`, at most 64 characters. */
const CAPTURE_NAME = /^[A-Za-z0-9_-]{1,64}$/;

class GlobParser {
  readonly tokens: GlobToken[] = [];
  readonly problems: PatternProblem[] = [];
  readonly #names = new Set<string>();
  #text = "";
  #at = 0;
  #splatAt: number | undefined;

  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  run(): void {
    while (this.#at < this.#source.length) this.#step(this.#source.charAt(this.#at));
    this.#flush();
  }

  #step(character: string): void {
    if (character === "*") this.#stars();
    else if (character === "?") this.#push({ type: "one" }, 1);
    else if (character === "{") this.#capture();
    else if (character === "\\") this.#escape();
    else if (character === "}") {
      this.#problem({ message: 'Open the "}" with a "{"', hint: "Write \\} for the character" }, 1);
    } else {
      this.#text += character;
      this.#at += 1;
    }
  }

  #push(token: GlobToken, length: number): void {
    this.#flush();
    this.tokens.push(token);
    this.#at += length;
  }

  #flush(): void {
    if (this.#text === "") return;
    this.tokens.push({ type: "text", text: canonicalPathText(this.#text) });
    this.#text = "";
  }

  #problem(what: Omit<PatternProblem, "offset">, length: number): void {
    this.problems.push({ ...what, offset: this.#at });
    this.#at += length;
  }

  #stars(): void {
    let end = this.#at;
    while (this.#source.charAt(end) === "*") end += 1;
    const length = end - this.#at;
    this.#push({ type: length === 1 ? "any" : "deep" }, length);
  }

  #escape(): void {
    const next = this.#source.codePointAt(this.#at + 1);
    if (next === undefined) {
      const hint = "Write \\\\ for a backslash";
      return this.#problem({ message: 'Put a character after the final "\\"', hint }, 1);
    }
    const character = String.fromCodePoint(next);
    this.#text += character === "%" ? "%25" : character;
    this.#at += 1 + character.length;
  }

  #capture(): void {
    CAPTURE.lastIndex = this.#at;
    const found = CAPTURE.exec(this.#source);
    if (found === null) {
      return this.#problem({ message: 'Close the "{"', hint: "Write \\{ for the character" }, 1);
    }
    const inner = found[1] ?? "";
    const isSplat = inner.endsWith("...");
    const name = isSplat ? inner.slice(0, -3) : inner;
    const complaint = this.#nameProblem(name) ?? this.#placeProblem(name, found[0].length, isSplat);
    if (isSplat) this.#splatAt ??= this.#at;
    this.#names.add(name);
    if (complaint !== undefined) return this.#problem(complaint, found[0].length);
    this.#push({ type: isSplat ? "splat" : "capture", name }, found[0].length);
  }

  #nameProblem(name: string): Omit<PatternProblem, "offset"> | undefined {
    if (!CAPTURE_NAME.test(name)) {
      return {
        message: `Name the capture with 1 to 64 letters, digits, "_" or "-": it is "${name}"`,
        hint: "Write \\{ for the character",
      };
    }
    return this.#names.has(name)
      ? { message: `Use each capture name once: "${name}" is already used` }
      : undefined;
  }

  #placeProblem(
    name: string,
    length: number,
    isSplat: boolean,
  ): Omit<PatternProblem, "offset"> | undefined {
    const after = this.#source.charAt(this.#at + length);
    if (isSplat && this.#splatAt !== undefined) {
      return { message: `Use at most one splat: "{${name}...}" is the second` };
    }
    if (isSplat && after !== "") {
      return { message: `Put the splat "{${name}...}" at the end of the glob` };
    }
    if (!this.#text.endsWith("/") || (after !== "" && after !== "/")) {
      return {
        message: `The capture "{${name}}" must be a full path segment`,
        hint: `Put a "/" on both sides of it, or use "*" for a part of a segment`,
      };
    }
    return undefined;
  }
}

/**
 * Parses a glob, or reports all its problems. The text of `text` tokens uses the alphabet of
 * normalized paths. Takes time linear in the length of the glob.
 */
export function parseGlob(value: string): GlobResult {
  if (value.length > MAX_GLOB_LENGTH) {
    const message = `Use at most ${MAX_GLOB_LENGTH} characters in a glob: it has ${value.length}`;
    return { problems: [{ message, offset: MAX_GLOB_LENGTH }] };
  }
  const parser = new GlobParser(value);
  parser.run();
  return parser.problems.length > 0 ? { problems: parser.problems } : { tokens: parser.tokens };
}

/** Returns the text that every matching path starts with, or "" if there is none. */
export function literalPrefix(tokens: readonly GlobToken[]): string {
  const first = tokens[0];
  return first?.type === "text" ? first.text : "";
}

/** Returns the names of a glob's captures, in order of appearance. */
export function captureNames(tokens: readonly GlobToken[]): readonly string[] {
  return tokens.flatMap((token) =>
    token.type === "capture" || token.type === "splat" ? [token.name] : []
  );
}
