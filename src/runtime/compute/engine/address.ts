/**
 * The one address of a server. The server sees the host and port that it asked
 * for; in fact it listens on a Unix socket that only the platform can reach. Where
 * servers of further ports are allowed, each has a socket beside it.
 *
 * @module
 */

/** The address that a server believes to listen on. */
export interface AdvertisedAddress {
  readonly address: string;
  readonly port: number;
  readonly family: "IPv4" | "IPv6";
}

interface ServerAddressOptions {
  readonly port: number;
  readonly host: string;
  /** Servers of `node:http` greet; false where missing. */
  readonly greets?: boolean;
  /** Whether servers may listen on further ports; false where missing. */
  readonly others?: boolean;
  /** Called before a server listens. */
  readonly taken?: () => void;
  /**
   * Called as soon as a server listens, with whether it greets, and with its port
   * where that is another one.
   */
  readonly listening: (greets: boolean, port?: number) => void;
}

export class ServerAddress {
  /** Paths of the sockets that are in use. */
  readonly #taken = new Set<string>();

  readonly #options: ServerAddressOptions;

  constructor(readonly socket: string, options: ServerAddressOptions) {
    this.#options = options;
  }

  /** Whether servers of `node:http` greet each connection that they accept. */
  get greets(): boolean {
    return this.#options.greets === true;
  }

  get taken(): boolean {
    return this.#taken.size > 0;
  }

  /** Takes the path of the socket for a port; `undefined` where a server already listens there. */
  take(port = this.#options.port): string | undefined {
    const isOther = this.#options.others === true && port !== this.#options.port;
    const path = isOther ? `${this.socket}-${port}` : this.socket;
    if (this.#taken.has(path)) return undefined;
    this.#options.taken?.();
    this.#taken.add(path);
    return path;
  }

  /** The server has closed it and may listen again. */
  release(path = this.socket): void {
    this.#taken.delete(path);
  }

  /** The server listens; `greets` where it sends `GREETING` over each connection that it accepts. */
  listening(greets = false, path = this.socket): void {
    if (path === this.socket) return this.#options.listening(greets);
    this.#options.listening(greets, Number(path.slice(this.socket.length + 1)));
  }

  /** The address that the server sees; for port 0, or no port, the platform chooses one. */
  advertised(port?: number, host?: string): AdvertisedAddress {
    const address = host === undefined || host === "localhost" ? this.#options.host : host;
    return {
      address,
      port: port === undefined || port === 0 ? this.#options.port : port,
      family: address.includes(":") ? "IPv6" : "IPv4",
    };
  }
}

/** The error for a second address, in the form that Node uses. */
export function refusedListen({ address, port }: AdvertisedAddress): Error {
  const message = `listen EACCES: permission denied ${address}:${port}: ` +
    "a deployment's server listens on one port only, that of its first listen; " +
    "serve all from there, by path or host";
  return Object.assign(new Error(message), {
    code: "EACCES",
    errno: -13,
    syscall: "listen",
    address,
    port,
  });
}
