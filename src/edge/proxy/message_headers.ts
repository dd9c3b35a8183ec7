/**
 * Header fields on their way through the edge: what belongs to one hop stays
 * behind (RFC 9110, 7.6.1), and who asked is told by the edge alone.
 *
 * @module
 */
import type { Header, HeaderList } from "../header_list.ts";

const HOP_BY_HOP = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Fields of a request that the edge writes itself: it alone may speak of the client. */
const WRITTEN_ANEW = new Set([
  "expect",
  "forwarded",
  "host",
  "via",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-port",
  "x-forwarded-proto",
  "x-real-ip",
]);

/** Fields that an answer can not bring: the edge sets them. */
const EDGE_OWNED = new Set(["x-svc-deployment", "x-svc-request-id"]);

const NOTHING: ReadonlySet<string> = new Set();

/** The fields that a `Connection` field names as this hop's. */
function namedByConnection(
  headers: readonly (readonly [string, string])[],
): ReadonlySet<string> | undefined {
  let names: Set<string> | undefined;
  for (const [name, value] of headers) {
    if (name.length !== 10 || name.toLowerCase() !== "connection") continue;
    names ??= new Set();
    for (const option of value.split(",")) names.add(option.trim().toLowerCase());
  }
  return names;
}

/** The fields of a message that go on to the next hop, names in lower case, without some others. */
export function endToEnd(
  headers: readonly (readonly [string, string])[],
  others: ReadonlySet<string> = NOTHING,
): Header[] {
  const named = namedByConnection(headers);
  const kept: Header[] = [];
  for (const [name, value] of headers) {
    const lower = name.toLowerCase();
    if (HOP_BY_HOP.has(lower) || others.has(lower) || named?.has(lower) === true) continue;
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
  const kept = endToEnd(headers, WRITTEN_ANEW);
  kept.push(
    ["x-forwarded-for", hop.ip],
    ["x-forwarded-host", hop.host],
    ["x-forwarded-proto", hop.scheme],
    ["via", viaOf(hop)],
  );
  return kept;
}

/** The fields of an answer from behind the edge, as far as they may reach the client. */
export function answerHeadersFrom(headers: readonly (readonly [string, string])[]): Header[] {
  return endToEnd(headers, EDGE_OWNED);
}
