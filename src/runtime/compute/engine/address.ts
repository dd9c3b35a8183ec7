/**
 * The one address of a server. The server sees the host and port that it asked
 * for; in fact it listens on a Unix socket that only the platform can reach.
 *
 * @module
 */

/** What a server sees as the address that it listens on. */
export interface AdvertisedAddress {
  readonly address: string;
  readonly port: number;
  readonly family: "IPv4" | "IPv6";
}

export class ServerAddress {
  #taken = false;

  constructor(
    readonly socket: string,
    private readonly options: {
      readonly port: number;
      readonly host: string;
      /** Servers of `node:http` greet; false where missing. */
      readonly greets?: boolean;
      /** Called as soon as the server listens, with whether it greets. */
      readonly listening: (greets: boolean) => void;
    },
  ) {}

  /** Whether servers of `node:http` greet each connection that they accept. */
  get greets(): boolean {
    return this.options.greets === true;
  }

  get taken(): boolean {
    return this.#taken;
  }

  /** Takes the address; false where the server already listens. */
  take(): boolean {
    if (this.#taken) return false;
    this.#taken = true;
    return true;
  }

  /** The server has closed it and may listen again. */
  release(): void {
    this.#taken = false;
  }

  /** The server listens; `greets` where it sends `GREETING` over each connection that it accepts. */
  listening(greets = false): void {
    this.options.listening(greets);
  }

  /** The address that the server sees; for port 0, or no port, the platform chooses one. */
  advertised(port?: number, host?: string): AdvertisedAddress {
    const address = host === undefined || host === "localhost" ? this.options.host : host;
    return {
      address,
      port: port === undefined || port === 0 ? this.options.port : port,
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
