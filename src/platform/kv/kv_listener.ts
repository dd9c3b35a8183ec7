/**
 * Gives servers access to their key-value store on a loopback port that exposes no other part of
 * the platform.
 *
 * @module
 */
import { createLoopbackAcceptor } from "../core/listener/mod.ts";

/** The store's address. */
export interface KvAddress {
  readonly host: "127.0.0.1";
  readonly port: number;
}

/** How long running requests may take to finish when the platform stops, in milliseconds. */
const DRAIN_MS = 2_000;

interface Open {
  readonly port: number;
  close(): Promise<void>;
}

export class KvListener {
  #open: Open | undefined;

  readonly #handle: (request: Request) => Promise<Response>;
  readonly #onTrouble: (message: string) => void;

  constructor(
    handle: (request: Request) => Promise<Response>,
    onTrouble: (message: string) => void,
  ) {
    this.#handle = handle;
    this.#onTrouble = onTrouble;
  }

  /** Starts listening on a free port on the first call. */
  open(): KvAddress {
    this.#open ??= this.#listen();
    return { host: "127.0.0.1", port: this.#open.port };
  }

  /** Finishes running requests and stops listening. */
  async close(): Promise<void> {
    await this.#open?.close();
  }

  #listen(): Open {
    const acceptor = createLoopbackAcceptor("The key-value store", this.#onTrouble);
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const closing = new AbortController();
    const served = acceptor.serve({
      listener,
      handler: (request) => this.#handle(request),
      closed: closing.signal,
    }).catch((error) => this.#onTrouble(`The key-value store stopped listening: ${error}`));
    return {
      port: listener.addr.port,
      async close() {
        closing.abort();
        try {
          listener.close();
        } catch { /* the runtime has closed it already */ }
        await acceptor.drain(DRAIN_MS);
        await served;
      },
    };
  }
}
