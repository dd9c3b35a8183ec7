/** Meanings of error codes. @module */

export interface Explanation {
  /** The meaning, as a sentence. */
  readonly meaning: string;
  /** How to fix it, as sentences. */
  readonly remedy: string;
  /** Whether the remedy fits every failure of the code, so that it can serve as a hint. */
  readonly isHint?: true;
  /** Commands that show more or fix it, without the leading `svc`. */
  readonly commands: readonly string[];
  /** The guide with more information: a file of `docs/`. */
  readonly guide: string;
}
