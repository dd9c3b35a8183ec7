/** A text stream of the program. */
export interface Writer {
  readonly isTerminal: boolean;
  /** Returns the width of the terminal in columns, or `undefined` if there is none. */
  readonly columns?: () => number | undefined;
  /** Writes text, or bytes unchanged. */
  write(data: string | Uint8Array): void;
}
