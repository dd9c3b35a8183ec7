/** @module Types of server signs and their tables. */

/** The kind of code or settings that a sign is found in. */
type SignKind =
  /** A function for another platform. */
  | "function"
  /** A program in JavaScript or another language. */
  | "program"
  /** How another platform runs the project, in any language. */
  | "container";

/** Evidence of a server that svc does not run automatically. */
export interface ProjectSign {
  readonly kind: SignKind;
  /** Path of the file, relative to the project. */
  readonly file: string;
  /** The line that shows the evidence, starting at 1. */
  readonly line: number;
  /** The evidence, such as `requires flask`. */
  readonly seen: string;
  /** Explains what svc supports, as a sentence without the final period. */
  readonly can: string;
  /** Name of the language, unless it is JavaScript or TypeScript. */
  readonly language?: string;
}

/** A file whose name indicates a server. */
export interface FileSign {
  readonly file: string;
  /**
   * Patterns for lines, with their meaning, from strongest to weakest evidence. `$1` refers to the
   * first group.
   */
  readonly shows?: readonly (readonly [pattern: RegExp, seen: string])[];
  /** The evidence that the file's presence alone provides, if no line matches. */
  readonly seen?: string;
  /** Matches text that shows that the project has no server even though the file exists. */
  readonly unless?: RegExp;
}

/** A language whose programs are servers. */
export interface LanguageSigns {
  readonly name: string;
  readonly files: readonly FileSign[];
  /** Matches source files in the language, which are not served. */
  readonly sources: RegExp;
}
