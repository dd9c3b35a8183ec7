/**
 * Closes connections based on the state of their sockets in the system (docs/decisions/runtime.md).
 *
 * @module
 */
import ipaddr from "ipaddr.js";
import { descriptors, type Libc, openLibc } from "./libc.ts";

const SHUT_RDWR = 2;
/** Request that counts the sent bytes that the peer has not acknowledged (tcp(7)). */
const SIOCOUTQ = 0x5411n;
/** Request that counts the received bytes that have not been read (tcp(7)). */
const FIONREAD = 0x541bn;
const AF_INET = 2;
const AF_INET6 = 10;
/** Size of `struct sockaddr_in6`, the longest address of an IP socket, in bytes. */
const ADDRESS_BYTES = 28;

/** The two ends of a connection. */
export type Ends = Pick<Deno.TcpConn, "localAddr" | "remoteAddr">;

const keyOf = (address: string, port: number, localPort: number): string =>
  `${address} ${port} ${localPort}`;

const keyOfEnds = ({ localAddr, remoteAddr: { hostname, port } }: Ends): string =>
  keyOf(ipaddr.parse(hostname).toNormalizedString(), port, localAddr.port);

/** Returns a socket's address and port; `undefined` if it is not an IP socket. */
function readAddress(
  call: Libc["getpeername"],
  descriptor: number,
): { readonly address: string; readonly port: number } | undefined {
  const bytes = new Uint8Array(ADDRESS_BYTES);
  if (call(descriptor, bytes, Uint32Array.of(ADDRESS_BYTES)) !== 0) return undefined;
  const view = new DataView(bytes.buffer);
  const family = view.getUint16(0, true);
  if (family !== AF_INET && family !== AF_INET6) return undefined;
  const address = family === AF_INET ? bytes.subarray(4, 8) : bytes.subarray(8, 24);
  return {
    address: ipaddr.fromByteArray([...address]).toNormalizedString(),
    port: view.getUint16(2),
  };
}

/** Returns the file descriptors of connections that are still open, by connection key. */
function openSockets(libc: Libc, connections: readonly Ends[]): ReadonlyMap<string, number> {
  const wanted = new Set(connections.map(({ remoteAddr }) => remoteAddr.port));
  const found = new Map<string, number>();
  for (const descriptor of descriptors()) {
    const remote = readAddress(libc.getpeername, descriptor);
    if (remote === undefined || !wanted.has(remote.port)) continue;
    const local = readAddress(libc.getsockname, descriptor);
    if (local !== undefined) found.set(keyOf(remote.address, remote.port, local.port), descriptor);
  }
  return found;
}

/**
 * Collects the items from one turn of the event loop, because examining every file descriptor is
 * slow.
 */
class Batch<T> {
  #items: T[] = [];
  readonly #run: (items: readonly T[]) => void;

  constructor(run: (items: readonly T[]) => void) {
    this.#run = run;
  }

  /** Adds an item, to be handled with the others in the next microtask. */
  add(item: T): void {
    if (this.#items.push(item) > 1) return;
    queueMicrotask(() => this.#run(this.#items.splice(0)));
  }
}

/**
 * Closes the sockets of TLS connections. If the platform closes a connection during its handshake,
 * or before the client has closed its own end, the runtime keeps the socket until the client closes
 * the connection. Shutting the socket down ends that wait.
 */
export class SocketCloser {
  readonly #connections = new Batch<Ends>((connections) => {
    const libc = openLibc();
    if (libc === undefined) return;
    const sockets = openSockets(libc, connections);
    for (const connection of connections) {
      const descriptor = sockets.get(keyOfEnds(connection));
      if (descriptor !== undefined) libc.shutdown(descriptor, SHUT_RDWR);
    }
  });

  /** Shuts down a connection's socket in the next microtask. */
  add(connection: Ends): void {
    this.#connections.add(connection);
  }
}

/** Returns whether a socket has no pending input or output. */
function isEmpty(libc: Libc, descriptor: number): boolean {
  const count = new Int32Array(1);
  return [SIOCOUTQ, FIONREAD].every((request) =>
    libc.ioctl(descriptor, request, count) === 0 && count[0] === 0
  );
}

interface Question {
  readonly connection: Ends;
  close(): void;
}

/** Closes connections without losing a response, or a request that has already arrived. */
export class EmptySockets {
  readonly #questions = new Batch<Question>((questions) => {
    const libc = openLibc();
    const sockets = libc && openSockets(libc, questions.map(({ connection }) => connection));
    for (const { connection, close } of questions) {
      if (libc === undefined || sockets === undefined) close();
      else {
        const descriptor = sockets.get(keyOfEnds(connection));
        if (descriptor !== undefined && isEmpty(libc, descriptor)) close();
      }
    }
  });

  /**
   * In the next microtask, calls `close` if the client has received every byte, and every byte from
   * the client has been read.
   */
  close(question: Question): void {
    this.#questions.add(question);
  }
}
