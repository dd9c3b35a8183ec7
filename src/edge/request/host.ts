/** @module Host, path and query of a request's URL. */

import { requestHost } from "../../rules/mod.ts";

/** The parts of a request's URL as the client sent them, split without parsing. */
export interface UrlParts {
  /** As the client sent it, with the port. */
  readonly authority: string;
  /** As the client sent it, without its query and fragment. */
  readonly path: string;
  /** Without its `?`; "" if there is none. */
  readonly query: string;
}

/**
 * Returns the index where the fragment starts, or the URL's length if there is none. Clients should
 * not send one.
 */
function endOfTarget(url: string): number {
  const hash = url.indexOf("#");
  return hash < 0 ? url.length : hash;
}

/**
 * Origin and authority of the last URL. If the next URL has the same origin, it is split faster
 * than other URLs.
 */
let latest = { origin: "", authority: "" };

/**
 * Splits a request URL (`scheme://authority/path?query`). The scheme is ignored, because the
 * connection determines it. The path stays unchanged, because `new URL()` would resolve dot
 * segments with its own rules.
 */
export function splitUrl(url: string): UrlParts {
  const isLatest = latest.origin !== "" && url.startsWith(latest.origin);
  const start = isLatest ? latest.origin.length : url.indexOf("//") + 2;
  const end = endOfTarget(url);
  const mark = url.indexOf("?", start);
  const queryAt = mark < 0 || mark > end ? end : mark;
  if (isLatest) {
    const { authority } = latest;
    return { authority, path: url.slice(start - 1, queryAt), query: queryOf(url, queryAt, end) };
  }
  const slash = url.indexOf("/", start);
  const pathAt = slash < 0 || slash > queryAt ? queryAt : slash;
  const authority = url.slice(start, pathAt);
  if (pathAt === slash) latest = { origin: url.slice(0, slash + 1), authority };
  return {
    authority,
    path: pathAt === queryAt ? "/" : url.slice(pathAt, queryAt),
    query: queryOf(url, queryAt, end),
  };
}

const queryOf = (url: string, mark: number, end: number): string =>
  mark === end ? "" : url.slice(mark + 1, end);

/** Matches a host in ASCII: a name, an IPv4 address or an IPv6 address in brackets. */
const CANONICAL_HOST = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])$/;

/**
 * Returns the host in canonical form: lowercase Punycode, without the port or a trailing dot.
 * Returns `undefined` for an invalid host. Rejects percent escapes, which URL parsers would decode,
 * because no client sends them.
 */
export function canonicalHost(authority: string): string | undefined {
  const host = authority.includes("%") ? undefined : requestHost(authority);
  return host !== undefined && CANONICAL_HOST.test(host) ? host : undefined;
}

/** Matches an authority whose host is already in canonical form, as most clients send it. */
const USUAL_AUTHORITY = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*(?::[0-9]+)?$/;

/** Returns the authority with its host in canonical form, or unchanged if the host is invalid. */
export function canonicalAuthority(authority: string): string {
  if (USUAL_AUTHORITY.test(authority)) return authority;
  const host = canonicalHost(authority);
  return host === undefined ? authority : host + (/:[0-9]+$/.exec(authority)?.[0] ?? "");
}
