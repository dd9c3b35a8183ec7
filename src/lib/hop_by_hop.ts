/** @module Hop-by-hop fields (RFC 9110, 7.6.1). This is the project's only such list. */

type Fields = readonly (readonly [name: string, value: string])[];

/**
 * `Connection` itself; the fields listed in 7.6.1, whether or not `Connection` names them
 * (`Keep-Alive`, `Proxy-Connection`, `TE`, `Transfer-Encoding`, `Upgrade`); the fields between a
 * client and its next proxy (11.7); `Trailer`, because no trailer is passed on; and
 * `HTTP2-Settings` (RFC 7540, 3.2.1). Names in lower case.
 */
export const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "http2-settings",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authentication-info",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/**
 * Returns the names of the fields that `Connection` lists, in lower case, or `undefined` if there
 * is no `Connection`.
 */
export function connectionOptions(fields: Fields): ReadonlySet<string> | undefined {
  let options: Set<string> | undefined;
  for (const [name, value] of fields) {
    if (name.length !== 10 || name.toLowerCase() !== "connection") continue;
    options ??= new Set();
    for (const option of value.split(",")) options.add(option.trim().toLowerCase());
  }
  return options;
}

/**
 * Removes hop-by-hop fields, including those that `Connection` names. Call this before adding an
 * intermediary's fields, because a client could otherwise have those fields removed.
 */
export function dropHopByHop(fields: Fields): Fields {
  const named = connectionOptions(fields);
  const kept: Fields[number][] = [];
  for (const field of fields) {
    const lower = field[0].toLowerCase();
    if (!HOP_BY_HOP.has(lower) && named?.has(lower) !== true) kept.push(field);
  }
  return kept;
}
