/**
 * Which addresses, names and ports outbound requests may go to.
 *
 * @module
 */
import ipaddr from "ipaddr.js";

/** Global unicast of IPv6 (RFC 4291, 2.4); transition and local ranges are outside or listed. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");

/** Special-purpose ranges that ipaddr.js has no name for (IANA registries, RFC 6890). */
const ALSO_SPECIAL = [
  "2001:db8::/32",
  "2001::/23",
  "2002::/16",
  "3fff::/20",
  "5f00::/16",
].map((cidr) => ipaddr.IPv6.parseCIDR(cidr));

const ALSO_SPECIAL_V4 = [
  "0.0.0.0/8",
  "100.64.0.0/10",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "240.0.0.0/4",
].map((cidr) => ipaddr.IPv4.parseCIDR(cidr));

/** Names for this machine and this network (RFC 6761, 6762, 8375; `.internal` by ICANN). */
const LOCAL_NAMES = /(?:^|\.)(?:localhost|local|internal|home\.arpa|localdomain)$/;

/** True for an address of the public internet; false for anything else, text that is none included. */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== "unicast") return false;
  if (address instanceof ipaddr.IPv4) return !ALSO_SPECIAL_V4.some((cidr) => address.match(cidr));
  const v6 = address as ipaddr.IPv6;
  return v6.match(GLOBAL_UNICAST) && !ALSO_SPECIAL.some((cidr) => v6.match(cidr));
}

/** True where the name itself says that it is local. */
export function isLocalName(host: string): boolean {
  return LOCAL_NAMES.test(host.toLowerCase().replace(/\.$/, ""));
}

/** What an address can look like in a URL (WHATWG URL, 3.5); for names `ipaddr` throws and catches. */
const LIKE_ADDRESS = /^[\d.]+$|:/;

/** The address that a URL's host is, without brackets; `undefined` where it is a name. */
export function literalAddress(hostname: string): string | undefined {
  const bare = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  return LIKE_ADDRESS.test(bare) && ipaddr.isValid(bare) ? bare : undefined;
}

/** Ports for the web: 80, 443, and those above the well-known ones. */
export function isWebPort(port: number): boolean {
  return port === 80 || port === 443 || (port >= 1024 && port <= 65535);
}
