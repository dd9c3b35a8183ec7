/**
 * Bodies that end too early through a fault that is not ours.
 *
 * @module
 */

/**
 * A body of foreign code broke off. Whoever wrote the code is informed in their own
 * log; to the platform it is not a fault.
 */
export class BrokenBodyError extends Error {
  override readonly name = "BrokenBodyError";
}
