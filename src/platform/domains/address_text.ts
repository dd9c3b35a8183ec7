/** Writes IP addresses in a canonical form. @module */
import { isIPv6 } from "node:net";

/**
 * Returns the canonical, shortest form of an address (RFC 5952): `2001:DB8:0::1` becomes
 * `2001:db8::1`.
 */
export function canonicalAddress(address: string): string {
  if (!isIPv6(address)) return address;
  return URL.parse(`http://[${address}]/`)?.hostname.slice(1, -1) ?? address;
}
