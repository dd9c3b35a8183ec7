/** @module Types of server signs and their tables. */

/** The platform of the server that a sign indicates. */
export type SignKind =
  /** A function of another platform. */
  | "function"
  /** A program in JavaScript, or in another language. */
  | "program"
  /** How another platform runs the project, in any language. */
  | "container";

/** Something in a project that indicates a server that svc does not run on its own. */
export interface ProjectSign {
  readonly kind: SignKind;
  /** Relative to the project. */
  readonly file: string;
  /** The line that shows it, from 1. */
  readonly line: number;
  /** Such as `asks for flask`. */
  readonly seen: string;
  /** The options in svc, as a sentence without its full stop. */
  readonly can: string;
  /** Name of the language, unless it is JavaScript or TypeScript. */
  readonly language?: string;
}

/** A file whose name indicates a server. */
export interface FileSign {
  readonly file: string;
  /** The most telling line, and its meaning; `$1` is replaced with its first group. */
  readonly shows?: readonly (readonly [pattern: RegExp, seen: string])[];
  /** The meaning of the file itself, if no line says more. */
  readonly seen?: string;
  /** Text of a project that still has no server. */
  readonly unless?: RegExp;
}

/** A language whose programs are servers. */
export interface LanguageSigns {
  readonly name: string;
  readonly files: readonly FileSign[];
  /** Its sources, which are not served. */
  readonly sources: RegExp;
}
