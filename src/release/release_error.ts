/** @module The error for a release that cannot be used. */

interface ReleaseErrorFacts {
  /** Advice for the user. */
  readonly hint?: string;
  readonly cause?: unknown;
}

/** Thrown if a release cannot be used. Nothing was changed. */
export class ReleaseError extends Error {
  override readonly name = "ReleaseError";
  readonly hint: string | undefined;

  constructor(message: string, { hint, cause }: ReleaseErrorFacts = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.hint = hint;
  }
}
