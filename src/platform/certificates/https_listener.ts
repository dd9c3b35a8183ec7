/**
 * The HTTPS listener. If hosts have their own certificates, the server name in each handshake (SNI,
 * RFC 6066) selects one.
 *
 * Deno's public API listens with a single certificate. However, an internal option that Deno uses
 * for `node:tls` lets the listener choose a certificate for each name (docs/decisions/runtime.md).
 * The runtime caches the certificate for each name, or the fact that there is none, for the
 * lifetime of the listener. A new listener therefore takes over the port when a certificate
 * changes, or after many names have been resolved (docs/domains.md, "How certificates are chosen").
 *
 * @module
 */
import { setTimeout as delay } from "node:timers/promises";
import { endSharing, openBeside } from "../core/listener/mod.ts";
import type { KeyPair } from "./certificate.ts";

const SNI_RESOLVER = Symbol.for("unstableSniResolver");
const PROTOCOLS = ["h2", "http/1.1"];

/** How long an old listener stays open for handshakes in progress, in milliseconds. */
const LINGER_MS = 2000;

/**
 * How long an old listener stays open for handshakes in progress if another change follows:
 * `pauses` pauses of `pauseMs` milliseconds each. A pause of more than `lateMs` does not count,
 * because handshakes also take longer in a process that gets little CPU time.
 */
const SHORT_LINGER = { pauses: 40, pauseMs: 10, lateMs: 20 };

/** Time between two attempts to listen on the port again, in milliseconds. */
const RETRY_MS = 1;

/** Pause after a listener has run out of file descriptors, in milliseconds. */
const AFTER_SHORTAGE_MS = 100;

/** Maximum number of names that one listener caches. The cache needs about 10 MB. */
const MAX_NAMES = 20_000;

/** Names whose certificates were changed or removed. */
export type ChangedNames = readonly string[] | "all";

/** Returns the wildcard that covers a name: `*.example.com` for `www.example.com`. */
export const wildcardOf = (name: string): string => `*${name.slice(name.indexOf("."))}`;

interface HttpsListenerOptions {
  readonly hostname: string;
  /** 0 selects a free port. */
  readonly port: number;
  readonly certificates: CertificateSource;
  readonly maxNames?: number;
  /** Whether other processes listen on the same port and share its connections. */
  readonly reusePort?: boolean;
  /** Serves the connections of a listener until `closed` is aborted. */
  serve(listener: Deno.TlsListener, closed: AbortSignal): Promise<void>;
}

/** One certificate for all connections, or a separate certificate for each server name. */
export type CertificateSource =
  | { readonly type: "one"; current(): KeyPair }
  /** The server name is "" if the client sent none. */
  | { readonly type: "by_name"; find(serverName: string): Promise<KeyPair | undefined> };

/** One of the successive listeners on the port. */
interface Generation {
  readonly port: number;
  /** Names that the runtime has requested. */
  readonly asked: Set<string>;
  /** Names for which no certificate has been chosen yet. */
  readonly unresolved: ReadonlyMap<string, number>;
  /** Stops accepting connections; open ones stay open. */
  close(): Promise<void>;
}

export class HttpsListener {
  /** The port in use. */
  readonly port: number;
  #current: Generation;
  #closed = false;
  #again = false;
  #replacing: Promise<void> | undefined;
  /** Closes the previous listener, which is still open in addition to the current one. */
  #retire: (() => Promise<void>) | undefined;

  readonly #options: HttpsListenerOptions;

  /** @throws {Deno.errors.AddrInUse} if the port is taken. */
  constructor(options: HttpsListenerOptions) {
    this.#options = options;
    this.#current = this.#open(options.port);
    this.port = this.#current.port;
  }

  /**
   * Records that the certificates for names were changed or removed. Resolves when new connections
   * see the change.
   */
  async changed(names: ChangedNames): Promise<void> {
    const { asked, unresolved } = this.#current;
    const changed = new Set(names === "all" ? [] : names);
    const isSeen = [...asked].some((name) =>
      !unresolved.has(name) &&
      (names === "all" || changed.has(name) || changed.has(wildcardOf(name)))
    );
    if (isSeen) await this.replace();
  }

  /**
   * Continues with a new listener, while the old listener's connections stay open. Resolves once
   * the new listener is listening. If the two cannot share the port, new connections are refused
   * for the few milliseconds until the port is free.
   */
  replace(): Promise<void> {
    this.#again = true;
    return this.#replacing ??= this.#replaceAll();
  }

  #replaceLater(): void {
    this.replace().catch(() => {});
  }

  /** Stops accepting connections; open ones stay open. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.standAlone();
    await this.#current.close();
  }

  /** Closes the previous listener if it is still open in addition to the current one. */
  async standAlone(): Promise<void> {
    await this.#replacing;
    await this.#retire?.();
  }

  async #replaceAll(): Promise<void> {
    while (this.#again && !this.#closed) {
      this.#again = false;
      await this.#lingerShortly();
      await this.#retire?.();
      if (await this.#openBeside()) continue;
      await this.#current.close();
      while (!this.#closed && !this.#reopen()) await delay(RETRY_MS);
    }
    // Set before the listener runs. If the listener fails immediately, it must not find a
    // replacement that has already stopped.
    this.#replacing = undefined;
  }

  /** Waits for the previous listener's handshakes, for at most {@link LINGER_MS}. */
  async #lingerShortly(): Promise<void> {
    const { pauses, pauseMs, lateMs } = SHORT_LINGER;
    for (let timely = 0; timely < pauses && this.#retire !== undefined;) {
      const started = performance.now();
      await delay(pauseMs);
      if (performance.now() - started <= lateMs) timely++;
    }
  }

  /** Opens the next listener, while the old one completes the handshakes in progress. */
  async #openBeside(): Promise<boolean> {
    const old = this.#current;
    const beside = openBeside(this.port, () => this.#open(this.port, true));
    if (beside === undefined) return false;
    this.#current = beside.opened;
    let retired: Promise<void> | undefined;
    const retire = () => {
      clearTimeout(timer);
      return retired ??= old.close().finally(() => {
        endSharing(this.port);
        this.#retire = undefined;
      });
    };
    const timer = setTimeout(() => retire().catch(() => {}), LINGER_MS);
    this.#retire = retire;
    if (!beside.takesAll) await retire();
    return true;
  }

  #reopen(): boolean {
    try {
      this.#current = this.#open(this.port);
      return true;
    } catch {
      // The port is not free yet, or the system is out of file descriptors.
      return false;
    }
  }

  #open(port: number, reusePort = this.#options.reusePort ?? false): Generation {
    const { certificates, hostname } = this.#options;
    const asked = new Set<string>();
    const unresolved = new Map<string, number>();
    const chosen = certificates.type === "one"
      ? certificates.current()
      : { [SNI_RESOLVER]: this.#resolver(certificates.find, { asked, unresolved }) };
    const shared = reusePort ? { reusePort } : {};
    const given = { hostname, port, alpnProtocols: PROTOCOLS, ...shared, ...chosen };
    const listener = Deno.listenTls(given as Deno.ListenTlsOptions & Deno.TlsCertifiedKeyPem);
    const closing = new AbortController();
    const served = this.#options.serve(listener, closing.signal).catch(async () => {
      await delay(AFTER_SHORTAGE_MS);
      if (!closing.signal.aborted) this.#replaceLater();
    });
    return {
      port: listener.addr.port,
      asked,
      unresolved,
      close: async () => {
        closing.abort();
        try {
          listener.close();
        } catch { /* already closed */ }
        await served;
      },
    };
  }

  #resolver(
    find: (serverName: string) => Promise<KeyPair | undefined>,
    { asked, unresolved }: {
      readonly asked: Set<string>;
      readonly unresolved: Map<string, number>;
    },
  ): (serverName: string) => Promise<KeyPair> {
    const { maxNames = MAX_NAMES } = this.#options;
    return async (serverName) => {
      asked.add(serverName);
      if (asked.size === maxNames) queueMicrotask(() => this.#replaceLater());
      unresolved.set(serverName, (unresolved.get(serverName) ?? 0) + 1);
      const pair = await find(serverName).finally(() => {
        const left = unresolved.get(serverName)! - 1;
        if (left > 0) unresolved.set(serverName, left);
        else unresolved.delete(serverName);
      });
      if (pair === undefined) throw new TypeError("No certificate for this name");
      return pair;
    };
  }
}
