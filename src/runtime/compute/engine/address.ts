/**
 * @module A server's only address. The server sees the host and port that it requested, but
 * actually listens on a Unix socket that only the platform can reach. If additional ports are
 * allowed, each of them has its own socket next to this socket.
 */

/** The address that a server seems to listen on. */
export interface AdvertisedAddress {
  readonly address: string;
  readonly port: number;
  readonly family: "IPv4" | "IPv6";
}

interface ServerAddressOptions {
  readonly port: number;
  readonly host: string;
  /** Whether `node:http` servers send a greeting; false if missing. */
  readonly greets?: boolean;
  /** Whether servers may listen on additional ports; false if missing. */
  readonly others?: boolean;
  /** Whether a server may listen on the port itself; true if missing. */
  readonly own?: boolean;
  /** Called before a server listens. */
  readonly taken?: () => void;
  /** Called as soon as a server listens. */
  readonly listening: (how: TakenPort, server?: object) => void;
}

/** How a server listens. */
export interface TakenPort {
  readonly greets: boolean;
  /** The port, if it is an additional one. */
  readonly port?: number;
  /** True if the server requested any free port. */
  readonly isAny?: boolean;
}

/** The range of ports that are assigned to no service (RFC 6335, 6). `to` is not included. */
const DYNAMIC_PORTS = { from: 49_152, to: 65_536 } as const;

/** Number of ports that one process uses in turn, starting at a random port. */
const IN_TURN = 1024;

export class ServerAddress {
  /** Paths of the sockets that are in use. */
  readonly #taken = new Set<string>();
  /** Paths in `#taken` whose servers are not reported. */
  readonly #hidden = new Set<string>();

  readonly #firstFree = DYNAMIC_PORTS.from +
    Math.floor(Math.random() * (DYNAMIC_PORTS.to - DYNAMIC_PORTS.from - IN_TURN));
  #given = 0;

  readonly #options: ServerAddressOptions;

  constructor(readonly socket: string, options: ServerAddressOptions) {
    this.#options = options;
  }

  /** Returns whether a `node:http` server greets each connection that it accepts at a path. */
  greetsAt(path: string): boolean {
    return this.#options.greets === true && path === this.socket;
  }

  /** Whether a reported server listens. */
  get taken(): boolean {
    return this.#taken.size > this.#hidden.size;
  }

  /** Returns whether a port is the port for requests. */
  isOwn(port: number): boolean {
    return this.#options.others !== true || port === this.#options.port;
  }

  pathOf(port: number): string {
    return this.isOwn(port) ? this.socket : `${this.socket}-${port}`;
  }

  /** Takes a free additional port that is not reported, or returns `undefined` if none is free. */
  takeHidden(): number | undefined {
    const port = this.#freePort();
    if (this.isOwn(port)) return undefined;
    this.#taken.add(this.pathOf(port));
    this.#hidden.add(this.pathOf(port));
    return port;
  }

  /**
   * Reserves the path of the socket for a port, or returns `undefined` if a server already listens
   * there.
   */
  take(port = this.#options.port): string | undefined {
    const path = this.pathOf(port);
    if (this.#taken.has(path)) return undefined;
    if (path === this.socket && this.#options.own === false) return undefined;
    this.#options.taken?.();
    this.#taken.add(path);
    return path;
  }

  /** Releases a path whose server has closed, so the path can be taken again. */
  release(path = this.socket): void {
    this.#taken.delete(path);
    this.#hidden.delete(path);
  }

  /**
   * Records that the server is listening. `greets` is true if it sends `GREETING` over each
   * connection that it accepts.
   */
  listening(greets = false, path = this.socket, server?: object): void {
    if (path === this.socket) return this.#options.listening({ greets }, server);
    const port = Number(path.slice(this.socket.length + 1));
    this.#options.listening({ greets, port, isAny: this.#isFree(port) }, server);
  }

  /** Returns whether a port is in the range for port 0. */
  #isFree(port: number): boolean {
    return port >= this.#firstFree && port < this.#firstFree + IN_TURN;
  }

  /** Returns the error for a server that cannot have the address that it requested. */
  refused(advertised: AdvertisedAddress): Error {
    const { others, own } = this.#options;
    if (others !== true) return refusedListen(advertised, ONE_ONLY);
    const isForbidden = own === false && this.isOwn(advertised.port);
    return refusedListen(advertised, isForbidden ? MAIN_THREAD_ONLY : IN_USE);
  }

  /**
   * Returns the address that the server sees. Without a port, or for port 0, it has the server's
   * own port; if servers may listen on additional ports, it has a free port.
   */
  advertised(port?: number, host?: string): AdvertisedAddress {
    const address = host === undefined || host === "localhost" ? this.#options.host : host;
    return {
      address,
      port: port === undefined || port === 0 ? this.#freePort() : port,
      family: address.includes(":") ? "IPv6" : "IPv4",
    };
  }

  #freePort(): number {
    const { port: own, others } = this.#options;
    if (others !== true) return own;
    for (let tried = 0; tried < IN_TURN; tried++) {
      const port = this.#firstFree + this.#given++ % IN_TURN;
      if (port !== own && !this.#taken.has(`${this.socket}-${port}`)) return port;
    }
    return own;
  }
}

interface Refusal {
  readonly code: string;
  readonly errno: number;
  readonly what: string;
  readonly hint?: string;
}

const IN_USE: Refusal = { code: "EADDRINUSE", errno: -98, what: "address already in use" };
const FORBIDDEN = { code: "EACCES", errno: -13, what: "permission denied" } as const;
const ONE_ONLY: Refusal = {
  ...FORBIDDEN,
  hint: ": a deployed server can listen on one port only, the first that it opens; " +
    "serve everything there, by path or host",
};
const MAIN_THREAD_ONLY: Refusal = {
  ...FORBIDDEN,
  hint: ": only the main thread can listen for requests, not a worker",
};

/** Returns the error for a server that cannot listen, in the form that Node uses. */
function refusedListen(
  { address, port }: AdvertisedAddress,
  { code, errno, what, hint = "" }: Refusal,
): Error {
  const message = `listen ${code}: ${what} ${address}:${port}${hint}`;
  return Object.assign(new Error(message), { code, errno, syscall: "listen", address, port });
}
