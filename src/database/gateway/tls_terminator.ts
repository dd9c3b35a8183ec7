/**
 * @module TLS on connections that started without it. The runtime only supports TLS on connections
 * that it accepts itself. Client data is therefore relayed to a TLS listener on the loopback
 * address.
 */
import { closeQuietly, type Connection, writeAll } from "../wire/connection.ts";

/** Certificate with its chain, and private key, as PEM. */
export interface CertificatePair {
  readonly cert: string;
  readonly key: string;
}

/** The ALPN protocol name registered for PostgreSQL, for clients that start with TLS directly. */
const PROTOCOL = "postgresql";
const LOOPBACK = "127.0.0.1";
const READ_BYTES = 64 * 1024;
/** How long a relayed connection may take to be accepted, in milliseconds. */
const ARRIVAL_MS = 5_000;

type Arrival = PromiseWithResolvers<Deno.TlsConn>;

/** Accepts only connections that this process relays, which are recognized by their ports. */
class LoopbackListener {
  readonly #listener: Deno.TlsListener;
  readonly #arrivals = new Map<number, Arrival>();

  constructor(pair: CertificatePair) {
    this.#listener = Deno.listenTls({
      hostname: LOOPBACK,
      port: 0,
      cert: pair.cert,
      key: pair.key,
      alpnProtocols: [PROTOCOL],
    });
    this.#accept().catch(() => this.close());
  }

  /** Connects to the listener. Returns both ends of the connection. */
  async connect(): Promise<{ readonly relay: Deno.TcpConn; readonly inner: Deno.TlsConn }> {
    const { port } = this.#listener.addr;
    const relay = await Deno.connect({ hostname: LOOPBACK, port });
    relay.setNoDelay(true);
    try {
      return { relay, inner: await this.#arrival(relay.localAddr.port).promise };
    } catch (error) {
      closeQuietly(relay);
      throw error;
    }
  }

  close(): void {
    closeQuietly(this.#listener as unknown as Connection);
  }

  async #accept(): Promise<void> {
    for (;;) {
      let conn: Deno.TlsConn;
      try {
        conn = await this.#listener.accept();
      } catch {
        return;
      }
      this.#arrival(conn.remoteAddr.port).resolve(conn);
    }
  }

  /** Returns the entry for a port. The two ends of a connection can arrive in any order. */
  #arrival(port: number): Arrival {
    const known = this.#arrivals.get(port);
    if (known !== undefined) {
      this.#arrivals.delete(port);
      return known;
    }
    const arrival = Promise.withResolvers<Deno.TlsConn>();
    arrival.promise.catch(() => {});
    this.#arrivals.set(port, arrival);
    setTimeout(() => {
      if (this.#arrivals.get(port) !== arrival) return;
      // Another process has connected, or the relayed connection has not arrived yet.
      this.#arrivals.delete(port);
      void arrival.promise.then(closeQuietly, () => {});
      arrival.reject(new Error("The connection was not accepted in time"));
    }, ARRIVAL_MS);
    return arrival;
  }
}

export class TlsTerminator {
  #current: { readonly cert: string; readonly listener: LoopbackListener } | undefined;

  readonly #certificate: () => Promise<CertificatePair | undefined>;

  /** @param certificate the current certificate, or `undefined` if there is none */
  constructor(certificate: () => Promise<CertificatePair | undefined>) {
    this.#certificate = certificate;
  }

  /** Whether there is currently a certificate. */
  async isReady(): Promise<boolean> {
    return await this.#listener() !== undefined;
  }

  /**
   * Starts TLS with a client.
   *
   * @param read TLS bytes that the client has already sent
   * @returns the decrypted connection; closing it also closes the client's connection
   */
  async encrypt(client: Deno.TcpConn, read: Uint8Array): Promise<Connection> {
    const listener = await this.#listener();
    if (listener === undefined) throw new TypeError("There is no certificate");
    const { relay, inner } = await listener.connect();
    await writeAll(relay, read);
    relayBoth(client, relay).catch(() => closeQuietly(client));
    return inner;
  }

  close(): void {
    this.#current?.listener.close();
  }

  async #listener(): Promise<LoopbackListener | undefined> {
    const pair = await this.#certificate();
    if (pair === undefined) return undefined;
    if (this.#current?.cert !== pair.cert) {
      this.#current?.listener.close();
      this.#current = { cert: pair.cert, listener: new LoopbackListener(pair) };
    }
    return this.#current.listener;
  }
}

/** Passes bytes on until the sender has finished. */
async function pass(from: Deno.TcpConn, to: Deno.TcpConn): Promise<void> {
  const buffer = new Uint8Array(READ_BYTES);
  for (;;) {
    const count = await from.read(buffer);
    if (count === null) return await to.closeWrite();
    await writeAll(to, buffer.subarray(0, count));
  }
}

/** Passes bytes in both directions until both senders have finished, or one has failed. */
async function relayBoth(client: Deno.TcpConn, relay: Deno.TcpConn): Promise<void> {
  await Promise.allSettled([
    pass(client, relay).catch(() => closeQuietly(relay)),
    pass(relay, client).finally(() => closeQuietly(client)),
  ]);
  closeQuietly(relay);
}
