/**
 * The address at which the servers of deployments reach their key-value store:
 * one port of the loopback address, and nothing else of the platform behind it.
 *
 * @module
 */

/** Where the store is reached. */
export interface KvAddress {
  readonly host: "127.0.0.1";
  readonly port: number;
}

export class KvListener {
  #server: Deno.HttpServer<Deno.NetAddr> | undefined;

  constructor(private readonly handle: (request: Request) => Promise<Response>) {}

  /** Listens on a free port from the first call on. */
  open(): KvAddress {
    this.#server ??= Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      (request) => this.handle(request),
    );
    return { host: "127.0.0.1", port: this.#server.addr.port };
  }

  /** Finishes running requests and stops to listen. */
  async close(): Promise<void> {
    await this.#server?.shutdown();
  }
}
