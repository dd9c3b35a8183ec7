/** Options for accepted sockets. Linux copies them from the listening socket. @module */
import { descriptors, type Libc, openLibc } from "./libc.ts";

const SOL_SOCKET = 1;
const SO_ACCEPTCONN = 30;
const IPPROTO_TCP = 6;
const TCP_NODELAY = 1;
const TCP_USER_TIMEOUT = 18;
const AF_INET = 2;
const AF_INET6 = 10;
/** Size of `struct sockaddr_in6`, the longest address of an IP socket, in bytes. */
const ADDRESS_BYTES = 28;

export function listens(libc: Libc, descriptor: number): boolean {
  const value = new Int32Array(1);
  const size = Uint32Array.of(value.byteLength);
  if (libc.getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, value, size) !== 0) return false;
  return value[0] === 1;
}

export function isOn(libc: Libc, descriptor: number, port: number): boolean {
  const address = new Uint8Array(ADDRESS_BYTES);
  if (libc.getsockname(descriptor, address, Uint32Array.of(ADDRESS_BYTES)) !== 0) return false;
  const view = new DataView(address.buffer);
  const family = view.getUint16(0, true);
  return (family === AF_INET || family === AF_INET6) && view.getUint16(2) === port;
}

interface AcceptedOptions {
  /** Maximum time without an acknowledgment from the client, in milliseconds. */
  readonly stalledMs: number;
}

/**
 * Sets TCP_NODELAY and TCP_USER_TIMEOUT for the port's future connections. Returns how many sockets
 * were set: 0 on systems other than Linux with glibc.
 */
export function setAcceptedOptions(port: number, { stalledMs }: AcceptedOptions): number {
  const libc = openLibc();
  if (libc === undefined) return 0;
  const [on, stalled] = [Int32Array.of(1), Uint32Array.of(stalledMs)];
  let sockets = 0;
  for (const descriptor of descriptors()) {
    if (!isOn(libc, descriptor, port) || !listens(libc, descriptor)) continue;
    libc.setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, on, on.byteLength);
    libc.setsockopt(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, stalled, stalled.byteLength);
    sockets++;
  }
  return sockets;
}
