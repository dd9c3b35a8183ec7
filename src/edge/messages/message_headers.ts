/**
 * @module Forwards header fields from hop to hop: removes hop-by-hop fields (RFC 9110, 7.6.1), and
 * makes sure that only the edge describes the client.
 */
import type { Random } from "../../lib/clock.ts";
import { connectionOptions, HOP_BY_HOP } from "../../lib/hop_by_hop.ts";
import type { Header, HeaderList } from "./header_list.ts";
import { isSpoofable } from "./spoofable_headers.ts";

/**
 * Header fields that are not forwarded. The edge has already handled `Expect`, and writes the other
 * fields itself.
 */
const WRITTEN_ANEW: ReadonlySet<string> = new Set(["expect", "host", "via"]);

const isWrittenAnew = (name: string): boolean => WRITTEN_ANEW.has(name) || isSpoofable(name);

/** Prefix of the header fields that only the edge may send. */
const OWN_PREFIX = "x-svc-";

/**
 * Returns the end-to-end header fields of a message, which are forwarded. Names are in lower case.
 * Fields that `isLeftOut` matches are omitted.
 */
export function endToEndHeaders(
  headers: readonly (readonly [string, string])[],
  isLeftOut?: (name: string) => boolean,
): Header[] {
  const named = connectionOptions(headers);
  const kept: Header[] = [];
  for (const [name, value] of headers) {
    const lower = name.toLowerCase();
    if (HOP_BY_HOP.has(lower) || named?.has(lower) === true || isLeftOut?.(lower) === true) {
      continue;
    }
    kept.push([lower, value]);
  }
  return kept;
}

/** The connection between client and edge, as described to upstreams. */
export interface Hop {
  /** Address of the client. */
  readonly ip: string;
  readonly host: string;
  readonly scheme: "http" | "https";
  /** `Via` as the client sent it. Without it, a pipeline step could hide a loop. */
  readonly via: string | null;
  /** Name of this edge in `Via`. */
  readonly pseudonym: string;
}

/**
 * How many times a request may return to this edge. A page can call the site's functions, which can
 * call another site on this platform. More returns mean a loop.
 */
export const MAX_RETURNS = 3;

type Trace = Pick<Hop, "via" | "pseudonym">;

/** Whether a request has returned to this edge too many times (RFC 9110, 7.6.3). */
export function isLoop({ via, pseudonym }: Trace): boolean {
  if (via === null) return false;
  const passes = via.split(",").filter((hop) => hop.trim().split(/\s+/)[1] === pseudonym);
  return passes.length > MAX_RETURNS;
}

/** Returns the value of `Via` for the requests that are sent because of this request. */
export function viaOf({ via, pseudonym }: Trace): string {
  return `${via === null ? "" : `${via}, `}1.1 ${pseudonym}`;
}

/**
 * Returns the header fields of a request to an upstream. `host` comes from the URL, and the HTTP
 * client adds `content-length` if the body's length is known.
 */
export function requestHeadersFor(headers: HeaderList, hop: Hop): Header[] {
  const kept = endToEndHeaders(headers, isWrittenAnew);
  kept.push(
    ["x-forwarded-for", hop.ip],
    ["x-forwarded-host", hop.host],
    ["x-forwarded-proto", hop.scheme],
    ["via", viaOf(hop)],
  );
  return kept;
}

/** Whether only the edge may send this response header, given its name in lower case. */
export const isEdgeOwn = (name: string): boolean => name.startsWith(OWN_PREFIX);

/** Returns an upstream's response headers without those that must not reach the client. */
export function responseHeadersFrom(headers: readonly (readonly [string, string])[]): Header[] {
  return endToEndHeaders(headers, isEdgeOwn);
}

/** Creates an unpredictable name for `Via`, so no client can fake a loop. */
export function makePseudonym(random: Random): string {
  return `svc-${random(6).toHex()}`;
}
