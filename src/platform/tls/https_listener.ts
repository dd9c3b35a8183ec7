/**
 * The HTTPS listener. With a certificate per host, the server name of each
 * handshake (SNI, RFC 6066) chooses one.
 *
 * Deno's public API serves one certificate per listener. Its listener can ask
 * for one per name all the same, by an option that Deno itself uses for
 * `node:tls`; that and the function that serves HTTP on a listener are looked
 * up at start, and a runtime without them is refused with words. The runtime
 * remembers each answer for as long as the listener lives, refusals too, so a
 * new listener takes over the port where an answer has changed, or where many
 * names were asked for (docs/domains.md, "How certificates are chosen").
 *
 * @module
 */
import { setTimeout as delay } from "node:timers/promises";
import type { KeyPair } from "./certificate.ts";

const SNI_RESOLVER = Symbol.for("unstableSniResolver");
const PROTOCOLS = ["h2", "http/1.1"];

/** Between tries to take the port again, in milliseconds. */
const RETRY_MS = 1;

/** Names that one listener remembers at most: some 10 MB. */
export const MAX_NAMES = 20_000;

export type HttpsHandler = (
  request: Request,
  info: Deno.ServeHandlerInfo<Deno.NetAddr>,
) => Response | Promise<Response>;

export interface HttpsListenerOptions {
  readonly hostname: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly handler: HttpsHandler;
  readonly certificates: CertificateSource;
  readonly maxNames?: number;
  /** Answers where the handler throws; is told of bodies that break off. */
  readonly onError?: (error: unknown) => Response;
}

/** One certificate for all connections, or one per server name. */
export type CertificateSource =
  | { readonly type: "one"; current(): KeyPair }
  /** The server name is "" where the client gave none. */
  | { readonly type: "by_name"; find(serverName: string): KeyPair | undefined };

/** This runtime can not choose certificates by server name. */
export class SniUnsupportedError extends Error {
  override readonly name = "SniUnsupportedError";
}

type ServeOnListener = (
  listener: Deno.TlsListener,
  signal: AbortSignal | undefined,
  handler: HttpsHandler,
  onError: (error: unknown) => Response,
  onListen: () => void,
) => Deno.HttpServer;

function isServeOnListener(value: unknown): value is ServeOnListener {
  return typeof value === "function";
}

function findServeOnListener(): ServeOnListener {
  const place: unknown = Reflect.get(Deno, "internal");
  const internals: unknown = typeof place === "symbol" ? Reflect.get(Deno, place) : undefined;
  const serve = typeof internals === "object" && internals !== null
    ? Reflect.get(internals, "serveHttpOnListener")
    : undefined;
  if (isServeOnListener(serve)) return serve;
  throw new SniUnsupportedError(
    `Can not choose certificates by host name on Deno ${Deno.version.deno}: ` +
      "use a version from 2.6 to 2.9, or one certificate for all with --tls-cert",
  );
}

const failedAnswer = () => new Response("The platform failed to answer\n", { status: 500 });

interface Generation {
  readonly server: Deno.HttpServer;
  readonly port: number;
  /** Names that the runtime has an answer for. */
  readonly asked: Set<string>;
}

export class HttpsListener {
  private readonly ending = new Set<Promise<void>>();
  /** The port that is listened on. */
  readonly port: number;
  private current: Generation;
  private closed = false;
  private again = false;
  private replacing: Promise<void> | undefined;

  /**
   * @throws {SniUnsupportedError} on a runtime that can not do this.
   * @throws {Deno.errors.AddrInUse} where the port is taken.
   */
  constructor(private readonly options: HttpsListenerOptions) {
    this.current = this.open(options.port);
    this.port = this.current.port;
  }

  /** Takes note that another certificate serves a name from now on. */
  changed(serverName: string): void {
    if (this.current.asked.has(serverName)) this.replace();
  }

  /**
   * Serves on with a new listener; connections of the old one end in their own
   * time. For the few milliseconds that the port takes to be free, new
   * connections are refused.
   */
  replace(): void {
    this.again = true;
    this.replacing ??= this.replaceAll().finally(() => this.replacing = undefined);
  }

  /** Stops accepting; resolves when the requests under way are answered. */
  async shutdown(): Promise<void> {
    this.closed = true;
    await this.replacing;
    await Promise.all([this.current.server.shutdown(), ...this.ending]);
  }

  private async replaceAll(): Promise<void> {
    while (this.again && !this.closed) {
      this.again = false;
      const ending = this.current.server.shutdown().finally(() => this.ending.delete(ending));
      this.ending.add(ending);
      while (!this.closed && !this.reopen()) await delay(RETRY_MS);
    }
  }

  private reopen(): boolean {
    try {
      this.current = this.open(this.port);
      return true;
    } catch (error) {
      if (error instanceof Deno.errors.AddrInUse) return false;
      throw error;
    }
  }

  private open(port: number): Generation {
    const { certificates } = this.options;
    return certificates.type === "one"
      ? this.openForAll(certificates.current(), port)
      : this.openByName((serverName) => certificates.find(serverName), port);
  }

  private openForAll(pair: KeyPair, port: number): Generation {
    const { hostname, handler, onError = failedAnswer } = this.options;
    const given = { hostname, port, onListen: () => {}, onError, ...pair };
    const server = Deno.serve(given, handler);
    return { server, port: server.addr.port, asked: new Set() };
  }

  private openByName(
    find: (serverName: string) => KeyPair | undefined,
    port: number,
  ): Generation {
    const { hostname, handler, maxNames = MAX_NAMES, onError = failedAnswer } = this.options;
    const serve = findServeOnListener();
    const asked = new Set<string>();
    const resolve = (serverName: string): KeyPair => {
      asked.add(serverName);
      if (asked.size === maxNames) queueMicrotask(() => this.replace());
      const pair = find(serverName);
      if (pair === undefined) throw new TypeError("No certificate for this name");
      return pair;
    };
    const given = {
      hostname,
      port,
      alpnProtocols: PROTOCOLS,
      [SNI_RESOLVER]: resolve,
    };
    const listener = Deno.listenTls(
      given as unknown as Deno.ListenTlsOptions & Deno.TlsCertifiedKeyPem,
    );
    const server = serve(listener, undefined, handler, onError, () => {});
    return { server, port: listener.addr.port, asked };
  }
}
