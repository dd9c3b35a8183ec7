/** Explanations of error codes. @module */

export interface Explanation {
  /** The meaning, as a sentence. */
  readonly meaning: string;
  /** How to fix it, as sentences. */
  readonly remedy: string;
  /** Set if the remedy applies to every failure with the code, so it can be shown as a hint. */
  readonly isHint?: true;
  /** Commands that show more or fix the problem, without the leading `svc`. */
  readonly commands: readonly string[];
  /** The guide with more information, as a file in `docs/`. */
  readonly guide: string;
}
