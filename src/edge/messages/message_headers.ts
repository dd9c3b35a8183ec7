/**
 * Header fields on their way through the edge: what belongs to one hop stays
 * behind (RFC 9110, 7.6.1), and who asked is told by the edge alone.
 *
 * @module
 */
import { connectionOptions, HOP_BY_HOP } from "../../lib/hop_by_hop.ts";
import type { Header, HeaderList } from "./header_list.ts";
import { isSpoofable } from "./spoofable_headers.ts";

/** Fields that end here: the edge has answered `Expect`, and writes the others itself. */
const WRITTEN_ANEW: ReadonlySet<string> = new Set(["expect", "host", "via"]);

const isWrittenAnew = (name: string): boolean => WRITTEN_ANEW.has(name) || isSpoofable(name);

/** What all fields begin with by which an answer could speak for the edge. */
const OWN_PREFIX = "x-svc-";

/**
 * The fields of a message that go on to the next hop, names in lower case,
 * without those that `isLeftOut` names.
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

/** What is known of the hop between client and edge. */
export interface Hop {
  /** Address of the client. */
  readonly ip: string;
  readonly host: string;
  readonly scheme: "http" | "https";
  /** `Via` as the client sent it: a step can not make the edge forget a loop. */
  readonly via: string | null;
  /** Name of this edge in `Via`. */
  readonly pseudonym: string;
}

/**
 * How often a request may come back to this edge: a page may ask the site's own
 * functions, and these another site here; what comes back more often goes in a
 * circle.
 */
export const MAX_RETURNS = 3;

type Trace = Pick<Hop, "via" | "pseudonym">;

/** True where a request came back to this edge too often (RFC 9110, 7.6.3). */
export function isLoop({ via, pseudonym }: Trace): boolean {
  if (via === null) return false;
  const passes = via.split(",").filter((hop) => hop.trim().split(/\s+/)[1] === pseudonym);
  return passes.length > MAX_RETURNS;
}

/** `Via` as what a request causes here must carry it. */
export function viaOf({ via, pseudonym }: Trace): string {
  return `${via === null ? "" : `${via}, `}1.1 ${pseudonym}`;
}

/**
 * The fields of a request as an upstream gets them; `host` follows from its
 * URL, and `content-length` is there only for a body that may have it.
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

/** The fields of an answer from behind the edge, as far as they may reach the client. */
export function responseHeadersFrom(headers: readonly (readonly [string, string])[]): Header[] {
  return endToEndHeaders(headers, (name) => name.startsWith(OWN_PREFIX));
}
