/**
 * @module Redirects a server's connections to ports on the loopback address: to the server itself,
 * or to its platform's hosts. The server itself has no open port.
 */

import { isServerAddress } from "../public_address.ts";

const AF_INET = 2;
const AF_INET6 = 10;

/** One port on one address. */
export interface Peer {
  /** IPv4 address in dotted-decimal form. */
  readonly host: string;
  readonly port: number;
}

/** A port on the loopback address, and the target of connections to it. */
export interface LocalRoute {
  readonly port: number;
  /** A port on the IPv4 loopback address. */
  readonly to: Peer;
  /** Whether the target accepts connections only from announced ports. */
  readonly isAnnounced: boolean;
}

/** A redirected connection. */
export interface RoutedConnect {
  readonly route: LocalRoute;
  /** The address to connect to, in the same family (struct sockaddr). */
  readonly address: Uint8Array<ArrayBuffer>;
}

const V4_IN_V6 = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255];
const LOOPBACK_V6 = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1].join();

/**
 * Returns whether an address belongs to this machine. The kernel also connects the zero address to
 * this machine.
 */
function isOwnMachine(bytes: Uint8Array): boolean {
  if (bytes.every((byte) => byte === 0)) return true;
  if (bytes.byteLength === 4) return bytes[0] === 127 && !isServerAddress(bytes);
  if (V4_IN_V6.every((byte, index) => bytes[index] === byte)) {
    return isOwnMachine(bytes.subarray(12));
  }
  return bytes.join() === LOOPBACK_V6;
}

interface OwnPort {
  readonly family: number;
  /** Offset of the address in the struct. */
  readonly from: number;
  readonly port: number;
}

function readOwnPort(sockaddr: Uint8Array): OwnPort | undefined {
  if (sockaddr.byteLength < 4) return undefined;
  const family = sockaddr[0]! | sockaddr[1]! << 8;
  const [from, size] = family === AF_INET ? [4, 4] : family === AF_INET6 ? [8, 16] : [0, 0];
  if (size === 0 || sockaddr.byteLength < from + size) return undefined;
  if (!isOwnMachine(sockaddr.subarray(from, from + size))) return undefined;
  return { family, from, port: sockaddr[2]! << 8 | sockaddr[3]! };
}

/** Returns the port if the address belongs to this machine, and otherwise `undefined`. */
export const ownPortOf = (sockaddr: Uint8Array): number | undefined => readOwnPort(sockaddr)?.port;

/** Finds the redirect for an address. Returns `undefined` if there is none. */
export function findLocalRoute(
  sockaddr: Uint8Array,
  routes: readonly LocalRoute[],
): RoutedConnect | undefined {
  const own = readOwnPort(sockaddr);
  const route = routes.find((each) => each.port === own?.port);
  if (own === undefined || route === undefined) return undefined;
  const { family, from } = own;
  const address = new Uint8Array(sockaddr);
  const host = route.to.host.split(".").map(Number);
  address.set(family === AF_INET ? host : [...V4_IN_V6, ...host], from);
  address.set([route.to.port >> 8, route.to.port & 255], 2);
  return { route, address };
}

/** Returns the port in a socket's own address (struct sockaddr), or `undefined` if it has none. */
export function portOf(sockaddr: Uint8Array): number | undefined {
  const family = sockaddr[0]! | sockaddr[1]! << 8;
  return family === AF_INET || family === AF_INET6 ? sockaddr[2]! << 8 | sockaddr[3]! : undefined;
}
