/** @module Checks pages' redirect targets. */

/**
 * Returns the path to open after sign-in: the given path if it is on this site, otherwise `/`.
 * Backslashes, `//` and control characters are not allowed, because browsers may interpret them as
 * the start of another host.
 */
export function safeReturnPath(next: string | null | undefined): string {
  // deno-lint-ignore no-control-regex -- browsers remove these characters from URLs
  const isPath = typeof next === "string" && /^\/(?![/\\])[^\\\x00-\x20\x7f]*$/.test(next);
  return isPath ? next : "/";
}
