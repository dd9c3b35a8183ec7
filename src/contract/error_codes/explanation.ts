/**
 * Meanings of error codes.
 *
 * @module
 */

export interface Explanation {
  /** The meaning, as a sentence. */
  readonly meaning: string;
  /** How to mend it, as sentences. */
  readonly remedy: string;
  /** Commands that show more or mend it, without the leading `svc`. */
  readonly commands: readonly string[];
  /** The guide that says more: a file of `docs/`. */
  readonly guide: string;
}
