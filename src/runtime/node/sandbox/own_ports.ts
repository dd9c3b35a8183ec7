/**
 * @module The ports of a server program. The program binds these ports as if on a separate machine,
 * but gets them on its own loopback addresses. The process's first thread makes the calls on a copy
 * of the program's socket.
 */
import { EACCES, EADDRINUSE, EADDRNOTAVAIL, systemCall } from "../../kernel/system_calls.ts";
import type { Libc } from "../../kernel/libc.ts";
import { readPeer } from "../../kernel/judge_connect.ts";
import { isServerAddress, serverAddresses } from "../../public_address.ts";

type Bytes = Uint8Array<ArrayBuffer>;

const AF_INET = 2;
const SOCK_STREAM = 1;

const SOL_SOCKET = 1;
const SO_TYPE = 3;
const LEVEL_IPV6 = 41;
const IPV6_V6ONLY = 26;

/** Maximum number of bound ports to remember for a server's programs. */
const MAX_PORTS = 256;

export interface OwnAddress {
  /** IPv4 address in dotted-decimal form. */
  readonly hostname: string;
  readonly port: number;
}

/**
 * Index among the process's own addresses: 1 for `::1`, and for `::` on sockets without IPv4; 0 for
 * all others.
 */
type Which = 0 | 1;

interface Port {
  readonly which: Which;
  /** The port that the program requested. */
  readonly asked: number;
  /** The port on the machine, which differs if a service on the machine uses the requested port. */
  readonly real: number;
}

/** The address in a bind or connect call. */
type PeerAddress = NonNullable<ReturnType<typeof readPeer>>;

const isAll = (bytes: Uint8Array, value: number): boolean => bytes.every((byte) => byte === value);

const isLoopback6 = (address: Uint8Array): boolean =>
  address.byteLength === 16 && isAll(address.subarray(0, 15), 0) && address[15] === 1;

/** Writes a struct sockaddr_in or sockaddr_in6. */
function sockaddrOf(family: number, address: Uint8Array, port: number): Bytes {
  const bytes = new Uint8Array(family === AF_INET ? 16 : 28);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, family, true);
  view.setUint16(2, port);
  if (family === AF_INET) bytes.set(address, 4);
  else bytes.set([0xff, 0xff, ...address], 18);
  return bytes;
}

interface OwnPortsOptions {
  /** ID of this process, from which its addresses are derived. */
  readonly pid: number;
  /** Called when a program listens. */
  readonly listens: (port: number, at: OwnAddress) => void;
}

export class OwnPorts {
  readonly #addresses: readonly [Uint8Array, Uint8Array];
  readonly #ports: Port[] = [];

  readonly #libc: Libc;
  readonly #options: OwnPortsOptions;

  constructor(libc: Libc, options: OwnPortsOptions) {
    this.#libc = libc;
    this.#options = options;
    this.#addresses = serverAddresses(options.pid);
  }

  /** Binds a socket, or returns a negative error number. */
  bind(socket: number, sockaddr: Bytes): number {
    const asked = readPeer(sockaddr);
    if (asked === undefined || this.#option(socket, SOL_SOCKET, SO_TYPE) !== SOCK_STREAM) {
      return -EACCES;
    }
    if (!this.#isHere(asked)) return -EADDRNOTAVAIL;
    const which = this.#whichOf(socket, asked);
    const known = this.#ports.find((port) => port.asked === asked.port && port.which === which);
    const result = this.#bind(socket, { asked, which, port: known?.real ?? asked.port });
    if (known !== undefined || (result !== -EADDRINUSE && result !== -EACCES)) {
      return result === 0 ? this.#note(socket, asked, which) : result;
    }
    // Another service uses the port, or only root can bind it, so any other port is used.
    const other = this.#bind(socket, { asked, which, port: 0 });
    return other === 0 ? this.#note(socket, asked, which) : other;
  }

  /** Makes a socket listen if it is bound to one of the server's ports. */
  listen(socket: number, backlog: number): number {
    const own = this.#nameOf(socket);
    const which = this.#addresses.findIndex((address) => own?.address.join() === address.join());
    const port = this.#ports.find((each) => each.which === which && each.real === own?.port);
    if (port === undefined) return -EACCES;
    const result = systemCall(this.#libc, "listen", socket, backlog);
    if (result === 0) {
      const hostname = this.#addresses[port.which].join(".");
      this.#options.listens(port.asked, { hostname, port: port.real });
    }
    return result;
  }

  /**
   * Returns the real address of a port that the server itself has bound, or `undefined` for other
   * peers.
   */
  translate(sockaddr: Bytes): Bytes | undefined {
    const asked = readPeer(sockaddr);
    if (asked === undefined || !this.#isHere(asked)) return undefined;
    const [first, second] = isLoopback6(asked.address) ? [1, 0] : [0, 1];
    const find = (which: number) =>
      this.#ports.find((port) => port.asked === asked.port && port.which === which);
    const port = find(first!) ?? find(second!);
    return port === undefined
      ? undefined
      : sockaddrOf(asked.family, this.#addresses[port.which], port.real);
  }

  /** Lets an IPv6 socket use IPv4 addresses, because the real addresses are IPv4 addresses. */
  open(socket: number, family: number): void {
    if (family === AF_INET) return;
    const off = new Uint8Array(4);
    systemCall(this.#libc, "setsockopt", socket, LEVEL_IPV6, IPV6_V6ONLY, off, 4);
  }

  /**
   * Returns true for the machine itself, as a program sees it: loopback, or the unspecified
   * address.
   */
  #isHere({ address }: PeerAddress): boolean {
    if (isAll(address, 0) || isLoopback6(address)) return true;
    return isServerAddress(address)
      ? this.#addresses.some((own) => own.join() === address.join())
      : address.byteLength === 4 && address[0] === 127;
  }

  #whichOf(socket: number, { family, address }: PeerAddress): Which {
    if (family === AF_INET || address.byteLength === 4) return 0;
    if (isLoopback6(address)) return 1;
    return this.#option(socket, LEVEL_IPV6, IPV6_V6ONLY) === 1 ? 1 : 0;
  }

  #bind(
    socket: number,
    { asked, which, port }: {
      readonly asked: PeerAddress;
      readonly which: Which;
      readonly port: number;
    },
  ): number {
    this.open(socket, asked.family);
    const address = sockaddrOf(asked.family, this.#addresses[which], port);
    return systemCall(this.#libc, "bind", socket, address, address.byteLength);
  }

  #note(socket: number, { port: asked }: PeerAddress, which: Which): number {
    const real = this.#nameOf(socket)?.port;
    if (real === undefined) return -EACCES;
    const isKnown = this.#ports.some((port) => port.real === real && port.which === which);
    if (isKnown) return 0;
    this.#ports.push({ which, asked: asked === 0 ? real : asked, real });
    if (this.#ports.length > MAX_PORTS) this.#ports.shift();
    return 0;
  }

  #nameOf(socket: number): PeerAddress | undefined {
    const address = new Uint8Array(128);
    const size = new Uint8Array(Uint32Array.of(address.byteLength).buffer);
    const result = systemCall(this.#libc, "getsockname", socket, address, size);
    return result === 0 ? readPeer(address) : undefined;
  }

  #option(socket: number, level: number, name: number): number {
    const value = new Uint8Array(4);
    const size = new Uint8Array(Uint32Array.of(4).buffer);
    systemCall(this.#libc, "getsockopt", socket, level, name, value, size);
    return new DataView(value.buffer).getInt32(0, true);
  }
}
