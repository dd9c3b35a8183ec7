/**
 * What a caller gets where more is written than the store keeps up with.
 *
 * @module
 */

/** Too many changes wait already. Nothing was stored; a later attempt may succeed. */
export class StoreBusyError extends Error {
  override readonly name = "StoreBusyError";
  constructor(what: string) {
    super(`Cannot store: too many changes ${what}. Try again`);
  }
}
