/** @module Detects bodies that end early because of a failing client or server. */

/**
 * A body from project code ended early. This is not the platform's fault. The author of the code
 * sees the error in their log.
 */
export class BrokenBodyError extends Error {
  override readonly name = "BrokenBodyError";
}
