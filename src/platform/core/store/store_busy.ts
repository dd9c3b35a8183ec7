/** The error for callers when the store cannot keep up with writes. @module */

/**
 * Thrown if too many changes are already waiting. Nothing was stored, and a later attempt may
 * succeed.
 */
export class StoreBusyError extends Error {
  override readonly name = "StoreBusyError";
  constructor(what: string) {
    super(`Cannot store: too many changes ${what}. Try again`);
  }
}
