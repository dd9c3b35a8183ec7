/** @module Entity tags and conditions on them (RFC 9110, 8.8.3 and 13.1). */

/** Returns the strong entity tag of a representation: half of its SHA-256, quoted. */
export function entityTag(sha256: string): string {
  return `"${sha256.slice(0, 32)}"`;
}

/** One member of an entity tag list. The pattern is sticky, so a scan is linear. */
const LIST_MEMBER = /[ \t,]*(W\/)?("[\x21\x23-\x7e\x80-\xff]*")[ \t]*(?=,|$)/y;

function listContains(list: string, etag: string, acceptWeak: boolean): boolean {
  LIST_MEMBER.lastIndex = 0;
  for (let member = LIST_MEMBER.exec(list); member !== null; member = LIST_MEMBER.exec(list)) {
    if (member[2] === etag && (acceptWeak || member[1] === undefined)) return true;
  }
  return false;
}

/**
 * Returns whether the value of `If-Match` matches an existing representation. Uses strong
 * comparison (RFC 9110, 13.1.1). A malformed list matches nothing.
 */
export function ifMatchHolds(value: string, etag: string): boolean {
  return value === etag || value.trim() === "*" || listContains(value, etag, false);
}

/**
 * Returns whether the value of `If-None-Match` matches the representation, which then does not have
 * to be sent. Uses weak comparison (RFC 9110, 13.1.2).
 */
export function ifNoneMatchNames(value: string, etag: string): boolean {
  return value === etag || value.trim() === "*" || listContains(value, etag, true);
}

/** Returns whether the value of `If-Match` or `If-None-Match` is `*` or a list of entity tags. */
export function isEntityTagList(value: string): boolean {
  if (value.trim() === "*") return true;
  LIST_MEMBER.lastIndex = 0;
  let end = 0;
  while (LIST_MEMBER.test(value)) end = LIST_MEMBER.lastIndex;
  return end > 0 && /^[ \t,]*$/.test(value.slice(end));
}
