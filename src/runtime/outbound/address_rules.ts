/** @module Decides which addresses, names and ports outbound requests can reach. */
import ipaddr from "ipaddr.js";
import { isPublic, isServerAddress } from "../public_address.ts";

/** Names for this machine and this network (RFC 6761, 6762, 8375; `.internal` by ICANN). */
const LOCAL_NAMES = /(?:^|\.)(?:localhost|local|internal|home\.arpa|localdomain)$/;

/** Returns true for an address on the public internet, and false for any other text. */
export function isPublicAddress(text: string): boolean {
  return ipaddr.isValid(text) && isPublic(Uint8Array.from(ipaddr.parse(text).toByteArray()));
}

/** Returns true for an address reserved for a server. Nothing else may access such an address. */
export function isServer(text: string): boolean {
  return ipaddr.isValid(text) &&
    isServerAddress(Uint8Array.from(ipaddr.process(text).toByteArray()));
}

/** Returns true for a name that is local by convention. */
export function isLocalName(host: string): boolean {
  return LOCAL_NAMES.test(host.toLowerCase().replace(/\.$/, ""));
}

/**
 * Matches possible forms of an address in a URL (WHATWG URL, 3.5). This is checked first, because
 * checking every name with `ipaddr` would be slow.
 */
const LIKE_ADDRESS = /^[\d.]+$|:/;

/** Returns the address in a URL's host, without brackets, or `undefined` if the host is a name. */
export function literalAddress(hostname: string): string | undefined {
  const bare = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  return LIKE_ADDRESS.test(bare) && ipaddr.isValid(bare) ? bare : undefined;
}

/** Returns true for the web's ports: 80, 443, and all ports above the well-known ports. */
export function isWebPort(port: number): boolean {
  return port === 80 || port === 443 || (port >= 1024 && port <= 65535);
}
