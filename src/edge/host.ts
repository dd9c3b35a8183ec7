/**
 * Which host a request is for, and which path of it.
 *
 * @module
 */

/** The parts of a request's URL, cut out of its text without parsing it as a whole. */
export interface RequestTarget {
  readonly scheme: "http" | "https";
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
 * Cuts a request URL (`http://authority/path?query`). `new URL()` would resolve
 * dot segments by its own rules; the path here is what the client sent.
 */
export function splitTarget(url: string): RequestTarget {
  const scheme = url.startsWith("https:") ? "https" : "http";
  const start = scheme.length + 3;
  const end = endOfTarget(url);
  const mark = url.indexOf("?", start);
  const queryAt = mark < 0 || mark > end ? end : mark;
  const slash = url.indexOf("/", start);
  const pathAt = slash < 0 || slash > queryAt ? queryAt : slash;
  return {
    scheme,
    authority: url.slice(start, pathAt),
    path: pathAt === queryAt ? "/" : url.slice(pathAt, queryAt),
    query: queryAt === end ? "" : url.slice(queryAt + 1, end),
  };
}

/** A name or IPv4 address in lower case, with or without port. */
const PLAIN_AUTHORITY = /^([a-z0-9_-]+(?:\.[a-z0-9_-]+)*)\.?(?::\d{0,5})?$/;
/** What can never stand in a host, wherever a URL parser would cut it. */
const FORBIDDEN = /[\s/?#@\\<>^|%]/;

/**
 * Returns the host in the one form in which hosts are compared: lower case,
 * punycode, without port and final dot; `undefined` for what is no host.
 */
export function canonicalHost(authority: string): string | undefined {
  const plain = PLAIN_AUTHORITY.exec(authority);
  if (plain !== null) return plain[1];
  if (authority === "" || FORBIDDEN.test(authority)) return undefined;
  const url = URL.parse(`http://${authority}/`);
  if (url === null || url.hostname === "") return undefined;
  return url.hostname.replace(/\.$/, "");
}
