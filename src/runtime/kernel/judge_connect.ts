/** @module Decides where a server can connect, based on a `struct sockaddr` (Linux). */
import { addressBytes, isPublic, isServerAddress } from "../public_address.ts";
import type { LocalRoute, Peer } from "./local_routes.ts";
import { EACCES, ECONNREFUSED } from "./system_calls.ts";

const AF_UNSPEC = 0;
export const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;

const DNS_PORT = 53;

/**
 * Returns the addresses in `nameserver` lines (resolv.conf(5)). DNS requests to these addresses are
 * allowed even if they are private.
 */
export function readNameservers(text: string): readonly string[] {
  return [...text.matchAll(/^nameserver[ \t]+([^\s%]+)/gm)]
    .flatMap(([, address]) => {
      const bytes = addressBytes(address!);
      return bytes === undefined ? [] : [bytes.join()];
    });
}

/** Returns the addresses of the system's name servers. */
export function systemNameservers(): readonly string[] {
  try {
    return readNameservers(Deno.readTextFileSync("/etc/resolv.conf"));
  } catch {
    return [];
  }
}

/** The peers that a server can connect to. */
export interface PeerRules {
  /** Addresses in the form that `readNameservers` returns. */
  readonly nameservers: readonly string[];
  /** True to allow private, local and reserved addresses. */
  readonly allowPrivate: boolean;
  /** Allowed ports on private IPv4 addresses. */
  readonly peers: readonly Peer[];
  /** Ports on the loopback address that are redirected. */
  readonly routes: readonly LocalRoute[];
}

const V4_IN_V6 = "0,0,0,0,0,0,0,0,0,0,255,255,";

/**
 * Returns the family, address and port in an internet socket's name, or `undefined` for other
 * families.
 */
export function readPeer(
  sockaddr: Uint8Array,
): { readonly family: number; readonly address: Uint8Array; readonly port: number } | undefined {
  if (sockaddr.byteLength < 2) return undefined;
  const family = sockaddr[0]! | sockaddr[1]! << 8;
  const [from, size] = family === AF_INET ? [4, 4] : family === AF_INET6 ? [8, 16] : [0, 0];
  if (size === 0 || sockaddr.byteLength < from + size) return undefined;
  const bytes = sockaddr.subarray(from, from + size);
  const isMapped = size === 16 && bytes.join().startsWith(V4_IN_V6);
  return {
    family,
    address: isMapped ? bytes.subarray(12) : bytes,
    port: sockaddr[2]! << 8 | sockaddr[3]!,
  };
}

/**
 * Checks a socket address.
 *
 * @returns 0 if the connection is allowed, otherwise the error for the server
 */
export function judgeConnect(
  sockaddr: Uint8Array,
  { nameservers, allowPrivate, peers }: Omit<PeerRules, "routes">,
): number {
  if (sockaddr.byteLength < 2) return 0;
  const family = sockaddr[0]! | sockaddr[1]! << 8;
  if (family === AF_UNSPEC || family === AF_NETLINK) return 0;
  // Unix sockets belong to the machine's services; a server needs none of these services.
  if (family === AF_UNIX) return ECONNREFUSED;
  const peer = readPeer(sockaddr);
  if (peer === undefined) return EACCES;
  const { address, port } = peer;
  if (isServerAddress(address)) return EACCES;
  if (allowPrivate) return 0;
  if (port === DNS_PORT && nameservers.includes(address.join())) return 0;
  if (peers.some((peer) => peer.port === port && peer.host === address.join("."))) return 0;
  return isPublic(address) ? 0 : EACCES;
}

/**
 * Returns true for port 0 of the unspecified address. Sockets that only send can be bound to it.
 */
export function isUnspecific(sockaddr: Uint8Array): boolean {
  const family = sockaddr[0]! | sockaddr[1]! << 8;
  if (family !== AF_INET && family !== AF_INET6) return false;
  const [from, size] = family === AF_INET ? [4, 4] : [8, 16];
  return sockaddr.byteLength >= from + size && sockaddr[2] === 0 && sockaddr[3] === 0 &&
    sockaddr.subarray(from, from + size).every((byte) => byte === 0);
}

/**
 * Checks the address that a socket is about to be bound to. For Unix sockets, the file system
 * decides. An internet socket must not choose an address or port.
 *
 * @returns 0 if the socket can be bound, otherwise the error for the server
 */
export function judgeBind(sockaddr: Uint8Array): number {
  if (sockaddr.byteLength < 2) return 0;
  const family = sockaddr[0]! | sockaddr[1]! << 8;
  if (family === AF_UNIX || family === AF_NETLINK || isUnspecific(sockaddr)) return 0;
  return EACCES;
}
