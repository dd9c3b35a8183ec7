/**
 * Hop-by-hop headers (RFC 9110, 7.6.1), dropped in both directions.
 *
 * @module
 */
import type { HeaderList } from "./types.ts";

const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "http2-settings",
]);

/**
 * Returns the headers without hop-by-hop ones, those that `Connection` names
 * included. An intermediary calls it before it adds headers of its own, or a
 * client could have those dropped.
 */
export function dropHopByHop(headers: HeaderList): HeaderList {
  let named: Set<string> | undefined;
  for (const [name, value] of headers) {
    if (name.length !== 10 || name.toLowerCase() !== "connection") continue;
    named ??= new Set();
    for (const token of value.split(",")) named.add(token.trim().toLowerCase());
  }
  const kept: (readonly [string, string])[] = [];
  for (const header of headers) {
    const lower = header[0].toLowerCase();
    if (!HOP_BY_HOP.has(lower) && named?.has(lower) !== true) kept.push(header);
  }
  return kept;
}
