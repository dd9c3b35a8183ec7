/** @module Checks redirect targets of pages. */

/**
 * The path at which to continue after sign-in: the given one if it is a path of this site,
 * otherwise `/`. Backslashes, `//` and control characters, which browsers read as another host, are
 * refused.
 */
export function safeReturnPath(next: string | null | undefined): string {
  // deno-lint-ignore no-control-regex -- browsers remove these characters from URLs
  const isPath = typeof next === "string" && /^\/(?![/\\])[^\\\x00-\x20\x7f]*$/.test(next);
  return isPath ? next : "/";
}
