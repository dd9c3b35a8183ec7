/** @module Detects bodies that end early because of a client or server. */

/**
 * A body from project code ended early. The author of the code sees this in their log. This is not
 * a fault of the platform.
 */
export class BrokenBodyError extends Error {
  override readonly name = "BrokenBodyError";
}
