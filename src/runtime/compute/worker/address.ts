/**
 * The one address of a server. It is told that it listens on host and port;
 * in truth it listens at a Unix socket that only the platform reaches.
 *
 * @module
 */
import type { Send } from "./messages.ts";

/** What a server believes to listen on. */
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
      readonly send: Send;
    },
  ) {}

  get taken(): boolean {
    return this.#taken;
  }

  /** Takes the address; false where the server listens already. */
  take(): boolean {
    if (this.#taken) return false;
    this.#taken = true;
    return true;
  }

  /** The server has closed it, and may listen again. */
  release(): void {
    this.#taken = false;
  }

  /** The server listens. */
  listening(): void {
    this.options.send({ type: "listening" });
  }

  /** What the server is told; port 0 and no port are the platform's choice. */
  advertised(port?: number, host?: string): AdvertisedAddress {
    const address = host === undefined || host === "localhost" ? this.options.host : host;
    return {
      address,
      port: port === undefined || port === 0 ? this.options.port : port,
      family: address.includes(":") ? "IPv6" : "IPv4",
    };
  }
}

/** Why a second address is refused, in the words of Node. */
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
