/**
 * @module Checks the calls in which Node specifies a peer or an address, and makes the allowed
 * calls itself, on Node's own socket. Otherwise, Node could change its memory after this check and
 * before the kernel reads the memory.
 */
import { AF_UNIX, isUnspecific, judgeConnect, type PeerRules } from "../../kernel/judge_connect.ts";
import {
  EACCES,
  EADDRINUSE,
  EAGAIN,
  ECONNREFUSED,
  EFAULT,
  EINPROGRESS,
  EPERM,
  ETIMEDOUT,
  systemCall,
} from "../../kernel/system_calls.ts";
import {
  findLocalRoute,
  ownPortOf,
  portOf,
  type RoutedConnect,
} from "../../kernel/local_routes.ts";
import type { Libc } from "../../kernel/libc.ts";
import type { ForeignProcess } from "./foreign_process.ts";
import { connectFurther, furtherPath, type ReplaceSocket } from "./further_ports.ts";
import { MAX_DATA_BYTES, MSGHDR_BYTES, readData, readRights, sendRights } from "./message_parts.ts";
import type { OwnPorts } from "./own_ports.ts";
import { familyOf, unixAddress, unixPath } from "./socket_names.ts";

type Bytes = Uint8Array<ArrayBuffer>;

const MAX_SOCKADDR = 128;
const AF_INET = 2;
const SOCK_STREAM = 1;
const AF_INET6 = 10;
const AF_NETLINK = 16;

const F_GETFL = 3;
const F_SETFL = 4;
const O_NONBLOCK = 0x800;

const [SOL_SOCKET, SO_ERROR] = [1, 4];
const MSG_DONTWAIT = 0x40;
const MSG_NOSIGNAL = 0x4000;
const POLLOUT = 4;

/** Maximum time that a blocking call waits for its peer, in milliseconds. */
const MAX_WAIT_MS = 130_000;

const MMSGHDR_BYTES = 64;
/** Maximum number of messages that one call sends. The next call sends the rest. */
const MAX_MESSAGES = 64;

const MAX_BACKLOG = 4096;

/** The suffix of an additional port's socket, after the name of the server's own socket. */
const OF_PORT = /^(?:-\d{1,5})?$/;

/** A Unix socket: the name that Node uses, and the actual path. */
interface NamedSocket {
  readonly name: string;
  readonly path: string;
}

export interface SocketRules extends PeerRules {
  /** The only Unix socket that Node can connect to. If missing, there is none. */
  readonly control?: NamedSocket;
  /**
   * The only Unix socket that Node can bind and listen on, apart from the sockets of additional
   * ports. If missing, there is none.
   */
  readonly server?: NamedSocket;
  /** Ports that Node can bind and listen on; none by default. */
  readonly ports?: OwnPorts;
  /** True if the server's processes can pass descriptors to each other. */
  readonly passesDescriptors: boolean;
  /** True if Node has its own network and can list its interfaces. */
  readonly hasOwnNetwork: boolean;
  /** Called with the source port of a connection to an announced route. */
  readonly announce: (port: number) => void;
}

/** Each method returns the result of the call, or a negative error number. */
export class SocketCalls {
  readonly #libc: Libc;
  readonly #process: ForeignProcess;
  readonly #rules: SocketRules;

  constructor(libc: Libc, process: ForeignProcess, rules: SocketRules) {
    this.#libc = libc;
    this.#process = process;
    this.#rules = rules;
  }

  async connect(
    descriptor: number,
    at: bigint,
    { length, replace }: { readonly length: number; readonly replace: ReplaceSocket },
  ): Promise<number> {
    const address = this.#address(at, length);
    if (typeof address === "number") return address;
    if (familyOf(address) === AF_UNIX) {
      const { control } = this.#rules;
      if (unixPath(address) !== control?.name) return -ECONNREFUSED;
      return await this.#with(descriptor, (copy) => this.#connect(copy, unixAddress(control.path)));
    }
    const { ports } = this.#rules;
    const own = ports?.translate(address);
    if (ports !== undefined && own !== undefined) {
      return await this.#with(descriptor, (copy) => {
        ports.open(copy, familyOf(own));
        return this.#connect(copy, own);
      });
    }
    const further = this.#connectFurther(descriptor, address, replace);
    if (further !== undefined) return further;
    const routed = findLocalRoute(address, this.#rules.routes);
    if (routed !== undefined) {
      return await this.#with(descriptor, (copy) => this.#connectLocally(copy, routed));
    }
    const error = judgeConnect(address, this.#rules);
    if (error === 0) return await this.#with(descriptor, (copy) => this.#connect(copy, address));
    // Fails as on a machine where nothing listens on that port.
    return ownPortOf(address) === undefined ? -error : -ECONNREFUSED;
  }

  /**
   * Connects to one of the server's additional ports. Returns `undefined` if none has that number.
   */
  #connectFurther(descriptor: number, address: Bytes, replace: ReplaceSocket): number | undefined {
    const port = ownPortOf(address);
    const { server } = this.#rules;
    if (port === undefined || server === undefined) return undefined;
    const copy = this.#process.lend(descriptor);
    if (copy < 0) return copy;
    try {
      const path = furtherPath(server.path, port);
      return connectFurther(this.#libc, { asked: copy, path, replace });
    } finally {
      this.#libc.close(copy);
    }
  }

  async #connectLocally(copy: number, { address, route }: RoutedConnect): Promise<number> {
    const result = await this.#connect(copy, address);
    if (route.isAnnounced) {
      const port = portOf(this.#nameOf(copy));
      if (port !== undefined) this.#rules.announce(port);
    }
    return result;
  }

  /** Returns a socket's local address, or zeros if it has none. */
  #nameOf(socket: number): Bytes {
    const address = new Uint8Array(MAX_SOCKADDR);
    const size = new Uint8Array(Uint32Array.of(MAX_SOCKADDR).buffer);
    systemCall(this.#libc, "getsockname", socket, address, size);
    return address;
  }

  async bind(descriptor: number, at: bigint, length: number): Promise<number> {
    const address = this.#address(at, length);
    if (typeof address === "number") return address;
    const path = familyOf(address) === AF_UNIX ? this.#serverPath(unixPath(address)) : undefined;
    if (path !== undefined) {
      return await this.#with(descriptor, (copy) => this.#bindServer(copy, path));
    }
    const { ports } = this.#rules;
    if (!isUnspecific(address) && !this.#isInterfaces(address)) {
      if (ports === undefined) return -EACCES;
      return await this.#with(descriptor, (copy) => ports.bind(copy, address));
    }
    return await this.#with(
      descriptor,
      (copy) => systemCall(this.#libc, "bind", copy, address, address.byteLength),
    );
  }

  /**
   * Returns the real path of a socket by name: the server's socket, or that of an additional port.
   */
  #serverPath(named: string): string | undefined {
    const { server } = this.#rules;
    if (server === undefined || !named.startsWith(server.name)) return undefined;
    const port = named.slice(server.name.length);
    return OF_PORT.test(port) ? `${server.path}${port}` : undefined;
  }

  /**
   * Binds the server's socket. Replaces a socket that an exited server has left behind, or a link
   * to the additional port that received requests until now.
   */
  #bindServer(socket: number, path: string): number {
    const address = unixAddress(path);
    const bind = () => systemCall(this.#libc, "bind", socket, address, address.byteLength);
    const result = bind();
    if (result !== -EADDRINUSE) return result;
    if (!Deno.lstatSync(path).isSymlink && this.#isInUse(address)) return result;
    Deno.removeSync(path);
    return bind();
  }

  /** Returns whether a process listens on a Unix address. */
  #isInUse(address: Bytes): boolean {
    const socket = systemCall(this.#libc, "socket", AF_UNIX, SOCK_STREAM | O_NONBLOCK, 0);
    if (socket < 0) return true;
    const result = systemCall(this.#libc, "connect", socket, address, address.byteLength);
    this.#libc.close(socket);
    return result !== -ECONNREFUSED;
  }

  /** Allows a server to listen only on its own Unix sockets or ports. */
  async listen(descriptor: number, backlog: number): Promise<number> {
    const { ports, server } = this.#rules;
    const length = Math.min(Math.max(backlog, 1), MAX_BACKLOG);
    return await this.#with(descriptor, (copy) => {
      if (ports !== undefined) return ports.listen(copy, length);
      const address = this.#nameOf(copy);
      if (familyOf(address) !== AF_UNIX) return -EACCES;
      const listened = unixPath(address);
      if (server === undefined || !listened.startsWith(server.path)) return -EACCES;
      if (!OF_PORT.test(listened.slice(server.path.length))) return -EACCES;
      return systemCall(this.#libc, "listen", copy, length);
    });
  }

  /** Sends a message with data and peer as separate arguments (sendto(2)). */
  async sendTo(
    descriptor: number,
    { data, bytes, flags, peer, peerBytes }: {
      readonly data: bigint;
      readonly bytes: number;
      readonly flags: number;
      readonly peer: bigint;
      readonly peerBytes: number;
    },
  ): Promise<number> {
    const to = this.#peer(peer, peerBytes);
    if (typeof to === "number") return to;
    const copy = this.#process.read(data, Math.min(bytes, MAX_DATA_BYTES));
    if (copy === undefined) return -EFAULT;
    return await this.#with(descriptor, (socket) => this.#send(socket, copy, { flags, to }));
  }

  /** Sends a message that is described by a header (sendmsg(2)). */
  async sendMessage(descriptor: number, head: bigint, flags: number): Promise<number> {
    const message = this.#message(head);
    if (typeof message === "number") return message;
    const { data, to, rights } = message;
    return await this.#with(
      descriptor,
      (socket) =>
        rights.length === 0
          ? this.#send(socket, data, { flags, to })
          : sendRights(this.#libc, { process: this.#process, socket, data, flags, rights }),
    );
  }

  /** Sends several messages (sendmmsg(2)) and stores in each header how much was sent. */
  async sendMessages(
    descriptor: number,
    { heads, count, flags }: {
      readonly heads: bigint;
      readonly count: number;
      readonly flags: number;
    },
  ): Promise<number> {
    for (let sent = 0; sent < Math.min(count, MAX_MESSAGES); sent++) {
      const head = heads + BigInt(sent * MMSGHDR_BYTES);
      const result = await this.sendMessage(descriptor, head, flags);
      if (result < 0) return sent === 0 ? result : sent;
      const noted = new Uint8Array(Uint32Array.of(result).buffer);
      const error = this.#process.write(head + BigInt(MSGHDR_BYTES), noted);
      if (error < 0) return error;
    }
    return Math.min(count, MAX_MESSAGES);
  }

  /** Returns a copy of an address in Node's memory, or an error. */
  #address(at: bigint, length: number): Bytes | number {
    if (length < 2 || length > MAX_SOCKADDR) return -EACCES;
    return this.#process.read(at, length) ?? -EFAULT;
  }

  /** Returns a copy of a message's peer, `undefined` if it has none, or an error. */
  #peer(at: bigint, length: number): Bytes | number | undefined {
    if (at === 0n || length === 0) return undefined;
    const address = this.#address(at, length);
    if (typeof address === "number") return address;
    if (this.#isInterfaces(address)) return address;
    const family = familyOf(address);
    // The kernel would treat an address without a family as IPv4.
    if (family !== AF_INET && family !== AF_INET6) return -ECONNREFUSED;
    const error = judgeConnect(address, this.#rules);
    return error === 0 ? address : -error;
  }

  #isInterfaces(address: Bytes): boolean {
    return this.#rules.hasOwnNetwork && familyOf(address) === AF_NETLINK;
  }

  #message(head: bigint):
    | { readonly data: Bytes; readonly to: Bytes | undefined; readonly rights: readonly number[] }
    | number {
    const header = this.#process.read(head, MSGHDR_BYTES);
    if (header === undefined) return -EFAULT;
    const view = new DataView(header.buffer);
    const control = view.getBigUint64(40, true);
    // Control data other than descriptors could choose another route for the packet.
    if (control !== 0n && !this.#rules.passesDescriptors) return -EPERM;
    const rights = readRights(this.#process, view.getBigUint64(32, true), control);
    if (typeof rights === "number") return rights;
    const to = this.#peer(view.getBigUint64(0, true), view.getUint32(8, true));
    if (typeof to === "number") return to;
    const data = readData(this.#process, view.getBigUint64(16, true), view.getBigUint64(24, true));
    return typeof data === "number" ? data : { data, to, rights };
  }

  async #with(
    descriptor: number,
    use: (copy: number) => number | Promise<number>,
  ): Promise<number> {
    const copy = this.#process.lend(descriptor);
    if (copy < 0) return copy;
    try {
      return await use(copy);
    } finally {
      this.#libc.close(copy);
    }
  }

  /** Connects without blocking this thread; waits if the caller would have waited. */
  async #connect(socket: number, address: Bytes): Promise<number> {
    const flags = systemCall(this.#libc, "fcntl", socket, F_GETFL, 0);
    const isBlocking = flags >= 0 && (flags & O_NONBLOCK) === 0;
    if (isBlocking) systemCall(this.#libc, "fcntl", socket, F_SETFL, flags | O_NONBLOCK);
    const result = systemCall(this.#libc, "connect", socket, address, address.byteLength);
    if (!isBlocking) return result;
    try {
      if (result !== -EINPROGRESS) return result;
      return await this.#waitFor(socket) ? this.#errorOf(socket) : -ETIMEDOUT;
    } finally {
      systemCall(this.#libc, "fcntl", socket, F_SETFL, flags);
    }
  }

  async #send(
    socket: number,
    data: Bytes,
    { flags, to }: { readonly flags: number; readonly to: Bytes | undefined },
  ): Promise<number> {
    const send = (): number =>
      systemCall(
        this.#libc,
        "sendto",
        socket,
        data,
        data.byteLength,
        flags | MSG_DONTWAIT | MSG_NOSIGNAL,
        to ?? 0,
        to?.byteLength ?? 0,
      );
    const result = send();
    if (result !== -EAGAIN || (flags & MSG_DONTWAIT) !== 0) return result;
    const settings = systemCall(this.#libc, "fcntl", socket, F_GETFL, 0);
    if ((settings & O_NONBLOCK) !== 0) return result;
    return await this.#waitFor(socket) ? send() : -EAGAIN;
  }

  /** Waits until a socket can be written to or has failed. */
  async #waitFor(socket: number): Promise<boolean> {
    const polled = new Uint8Array(8);
    const view = new DataView(polled.buffer);
    view.setInt32(0, socket, true);
    view.setInt16(4, POLLOUT, true);
    return await this.#libc.poll(polled, 1n, MAX_WAIT_MS) > 0;
  }

  #errorOf(socket: number): number {
    const value = new Uint8Array(4);
    const size = new Uint8Array(Uint32Array.of(4).buffer);
    const result = systemCall(
      this.#libc,
      "getsockopt",
      socket,
      SOL_SOCKET,
      SO_ERROR,
      value,
      size,
    );
    return result < 0 ? result : -new DataView(value.buffer).getInt32(0, true);
  }
}
