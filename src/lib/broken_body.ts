/** @module Detects bodies that end too early because of a client or server. */

/**
 * The body of project code ended early. The author of the code sees it in their log; for the
 * platform, it is not a fault.
 */
export class BrokenBodyError extends Error {
  override readonly name = "BrokenBodyError";
}
