/**
 * Closes TLS connections permanently. If one is closed during its handshake, or before its client
 * has closed its side, the runtime keeps the socket until the client closes it
 * (docs/decisions/runtime.md): shutting the socket down ends that wait.
 *
 * @module
 */
import ipaddr from "ipaddr.js";
import { descriptors, openLibc } from "./libc.ts";

const SHUT_RDWR = 2;
const AF_INET = 2;
const AF_INET6 = 10;
/** `struct sockaddr_in6`, the longest of an IP socket. */
const ADDRESS_BYTES = 28;

/** The other end of a socket. */
export type Peer = Pick<Deno.NetAddr, "hostname" | "port">;

const keyOf = (address: string, port: number): string => `${address} ${port}`;

function readPeer(bytes: Uint8Array): string | undefined {
  const view = new DataView(bytes.buffer);
  const family = view.getUint16(0, true);
  if (family !== AF_INET && family !== AF_INET6) return undefined;
  const address = family === AF_INET ? bytes.subarray(4, 8) : bytes.subarray(8, 24);
  return keyOf(ipaddr.fromByteArray([...address]).toNormalizedString(), view.getUint16(2));
}

/** Shuts down the sockets that are connected to the given peers; returns how many were found. */
function shutDown(peers: readonly Peer[]): number {
  const libc = openLibc();
  if (libc === undefined) return 0;
  const wanted = new Set(
    peers.map(({ hostname, port }) => keyOf(ipaddr.parse(hostname).toNormalizedString(), port)),
  );
  let found = 0;
  for (const descriptor of descriptors()) {
    const address = new Uint8Array(ADDRESS_BYTES);
    if (libc.getpeername(descriptor, address, Uint32Array.of(ADDRESS_BYTES)) !== 0) continue;
    const key = readPeer(address);
    if (key === undefined || !wanted.has(key)) continue;
    libc.shutdown(descriptor, SHUT_RDWR);
    found++;
  }
  return found;
}

/** Shuts down sockets in batches, as finding them means examining every descriptor. */
export class SocketCloser {
  #peers: Peer[] = [];

  /** Shuts the socket to a peer down in the next microtask. */
  add(peer: Peer): void {
    if (this.#peers.push(peer) > 1) return;
    queueMicrotask(() => {
      const peers = this.#peers;
      this.#peers = [];
      shutDown(peers);
    });
  }
}
