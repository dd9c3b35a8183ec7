/** A text stream of the program. */
export interface Writer {
  readonly isTerminal: boolean;
  /** Width of the terminal in columns; `undefined` if there is none. */
  readonly columns?: () => number | undefined;
  /** Writes text, or bytes as they are. */
  write(data: string | Uint8Array): void;
}
