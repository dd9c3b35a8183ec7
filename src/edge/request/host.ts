/**
 * Which host a request is for, and which path of it.
 *
 * @module
 */

import { requestHost } from "../../rules/mod.ts";

/** The parts of a request's URL, cut out of its text without parsing it as a whole. */
export interface UrlParts {
  /** As the client wrote it, with port. */
  readonly authority: string;
  /** As the client wrote it, without query and fragment. */
  readonly path: string;
  /** Without its `?`; "" where there is none. */
  readonly query: string;
}

/** Where the fragment begins, which no client should send; the end where there is none. */
function endOfTarget(url: string): number {
  const hash = url.indexOf("#");
  return hash < 0 ? url.length : hash;
}

/**
 * Cuts a request URL (`scheme://authority/path?query`); what its scheme says, the connection
 * knows better. `new URL()` would resolve
 * dot segments by its own rules; the path here is what the client sent.
 */
export function splitUrl(url: string): UrlParts {
  const start = url.indexOf("//") + 2;
  const end = endOfTarget(url);
  const mark = url.indexOf("?", start);
  const queryAt = mark < 0 || mark > end ? end : mark;
  const slash = url.indexOf("/", start);
  const pathAt = slash < 0 || slash > queryAt ? queryAt : slash;
  return {
    authority: url.slice(start, pathAt),
    path: pathAt === queryAt ? "/" : url.slice(pathAt, queryAt),
    query: queryAt === end ? "" : url.slice(queryAt + 1, end),
  };
}

/** What a host looks like once it is ASCII: a name, an IPv4 or a bracketed IPv6 address. */
const CANONICAL_HOST = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])$/;

/**
 * Returns the host in the one form in which hosts are compared: lower case,
 * punycode, without port and final dot; `undefined` for what is no host. An
 * escape is refused, though URL parsers decode it: no client writes one.
 */
export function canonicalHost(authority: string): string | undefined {
  const host = authority.includes("%") ? undefined : requestHost(authority);
  return host !== undefined && CANONICAL_HOST.test(host) ? host : undefined;
}

/** A host as most clients write it, in canonical form already. */
const USUAL_AUTHORITY = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*(?::[0-9]+)?$/;

/** The authority with its host in canonical form; as it is where that is no host. */
export function canonicalAuthority(authority: string): string {
  if (USUAL_AUTHORITY.test(authority)) return authority;
  const host = canonicalHost(authority);
  return host === undefined ? authority : host + (/:[0-9]+$/.exec(authority)?.[0] ?? "");
}
