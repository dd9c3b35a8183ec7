/**
 * @module The normalized path: one spelling for all ways to write the same path, so a client cannot
 * evade a rule.
 *
 * Dot segments are resolved, duplicate slashes are merged, a backslash counts as a slash (as in
 * every browser, WHATWG URL 4.4), and hex digits are converted to upper case. A percent-encoded
 * character is decoded if it may appear unencoded in a path segment (RFC 3986 `pchar`: unreserved,
 * sub-delims, `:` and `@`). Everything else is percent-encoded. `%2F` and `%5C` stay encoded: they
 * are data, never a separator.
 *
 * `pchar` contains more than the unreserved characters of RFC 3986 6.2.2.2, because a file lookup
 * also decodes `%40`: a rule for `/@internal` that ignores `/%40internal` would protect nothing.
 */

/** Why a raw path has no normalized form; the edge responds with 400. */
export interface PathRejection {
  readonly rejected: "bad_escape" | "encoded_nul";
}

const BAD_ESCAPE: PathRejection = Object.freeze({ rejected: "bad_escape" });
const ENCODED_NUL: PathRejection = Object.freeze({ rejected: "encoded_nul" });

/** Matches a path that needs no normalization: plain segments, none of which begins with a dot. */
const PLAIN_PATH = /^(?:\/[\w~!$&'()*+,;=:@-][\w.~!$&'()*+,;=:@-]*)*\/?$/;
const PLAIN_TEXT = /^[\w.~!$&'()*+,;=:@\/-]*$/;
const PCHAR = /^[\w.~!$&'()*+,;=:@-]$/;
const TO_REWRITE = /%[0-9A-Fa-f]{2}|[^\w.~!$&'()*+,;=:@\/-]/gu;
const BROKEN_ESCAPE = /%(?![0-9A-Fa-f]{2})/;
const NUL = /%00|\0/;

function rewriteCharacter(found: string): string {
  if (found.length !== 3 || found[0] !== "%") return encodeURIComponent(found);
  const character = String.fromCharCode(parseInt(found.slice(1), 16));
  return PCHAR.test(character) ? character : found.toUpperCase();
}

/**
 * Encodes text for normalized paths without interpreting segments. Keeps path characters, and
 * converts all other characters to percent-encoded UTF-8 in upper case. A `%` that does not start
 * an escape is also encoded. Idempotent.
 */
export function canonicalPathText(text: string): string {
  if (PLAIN_TEXT.test(text)) return text;
  return text.toWellFormed().replace(TO_REWRITE, rewriteCharacter);
}

/**
 * Resolves `.` and `..` and merges slashes in text that is already canonical. `..` above the root
 * stays at the root; the result starts with a slash.
 */
export function resolveSegments(text: string): string {
  const kept: string[] = [];
  const segments = text.split("/");
  for (const segment of segments) {
    if (segment === "..") kept.pop();
    else if (segment !== "" && segment !== ".") kept.push(segment);
  }
  const last = segments.at(-1);
  const isFolder = last === "" || last === "." || last === "..";
  return kept.length === 0 ? "/" : `/${kept.join("/")}${isFolder ? "/" : ""}`;
}

/**
 * Returns the normalized path of a request target (without query), or the reason why it has none. A
 * normal path is returned as the same string, without allocation. Idempotent.
 */
export function normalizePath(rawPath: string): string | PathRejection {
  if (rawPath !== "" && PLAIN_PATH.test(rawPath)) return rawPath;
  if (BROKEN_ESCAPE.test(rawPath)) return BAD_ESCAPE;
  if (NUL.test(rawPath)) return ENCODED_NUL;
  return resolveSegments(canonicalPathText(rawPath.replaceAll("\\", "/")));
}
