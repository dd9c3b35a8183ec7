/**
 * Where the program writes its text.
 *
 * @module
 */

/** A text stream of the program. */
export interface Writer {
  readonly isTerminal: boolean;
  /** Width of the terminal in columns; `undefined` where there is none. */
  readonly columns?: () => number | undefined;
  write(text: string): void;
}
