/**
 * The sockets that a platform listens on: HTTP always, HTTPS if it has
 * certificates. Until the platform is ready they answer 503.
 *
 * @module
 */
import { setTimeout as delay } from "node:timers/promises";
import { systemClock } from "../lib/clock.ts";
import { descriptorLimit, nextDescriptor } from "../lib/descriptors.ts";
import { TrustedProxies } from "../edge/mod.ts";
import {
  addressGroup,
  type createHostDispatch,
  faultAnswer,
  keepUncompressed,
} from "../platform/core/http/mod.ts";
import {
  completeLimits,
  ConnectionAcceptor,
  type ConnectionHandler,
  endsWebSocketsWithServer,
  setAcceptedOptions,
} from "../platform/core/listener/mod.ts";
import type { PlatformOptions } from "./options.ts";
import {
  type CertificateService,
  DEFAULT_HTTPS_PORT,
  openSecureListener,
} from "../platform/certificates/mod.ts";

/** Time that running requests get when the platform stops, in milliseconds. */
const DRAIN_MS = 10_000;

/** Time between two attempts to take a port again, in milliseconds. */
const AGAIN_MS = 100;

/** Assumed limit of descriptors if the system does not show it. */
const ASSUMED_DESCRIPTORS = 1024;
/** The part of all descriptors that is reserved for files and connections to other sites. */
const RESERVE = 1 / 4;

const starting: ConnectionHandler = () =>
  new Response("The platform is starting\n", { status: 503, headers: { "retry-after": "1" } });

export interface Listeners {
  readonly port: number;
  readonly httpsPort: number | undefined;
  /** Resolves when the HTTP listener has ended. */
  readonly finished: Promise<void>;
  /**
   * Passes requests to the dispatch from now on, with the certificates of hosts
   * that have their own.
   */
  open(
    dispatch: ReturnType<typeof createHostDispatch>,
    certificates: CertificateService | undefined,
  ): void;
  /** Notes that a host has a new certificate. */
  certificateChanged(hostname: string): void;
  /** Stops accepting, lets running requests finish, and closes connections that take too long. */
  close(): Promise<void>;
}

/** The platform cannot listen on the address, for a reason other than that it is taken. */
export class ListenError extends Error {
  override readonly name = "ListenError";
  constructor({ host, port }: PlatformOptions, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`Cannot listen on ${host}:${port}: ${reason}`, { cause });
  }
}

function listen(options: PlatformOptions): Deno.TcpListener {
  try {
    return Deno.listen({ hostname: options.host, port: options.port });
  } catch (cause) {
    throw cause instanceof Deno.errors.AddrInUse ? cause : new ListenError(options, cause);
  }
}

function closeQuietly(listener: Deno.Listener): void {
  try {
    listener.close();
  } catch { /* whoever served it has closed it */ }
}

/** Listens again on a port that was lost to a shortage of descriptors. */
async function listenAgain(options: PlatformOptions): Promise<Deno.TcpListener> {
  for (;;) {
    await delay(AGAIN_MS);
    try {
      return listen(options);
    } catch { /* the port or the descriptors are not free yet */ }
  }
}

function createAcceptor(options: PlatformOptions): ConnectionAcceptor {
  const proxies = new TrustedProxies(options.trustProxy);
  const descriptors = descriptorLimit() ?? ASSUMED_DESCRIPTORS;
  return new ConnectionAcceptor({
    limits: completeLimits(options.connections ?? {}, descriptors),
    isShort: () => nextDescriptor() >= descriptors * (1 - RESERVE),
    onError: faultAnswer(options.log),
    groupOf: (address) => proxies.trusts(address) ? undefined : addressGroup(address),
    onShortage: (message) => options.log({ level: "warn", message }),
    now: () => performance.now(),
    leavesToRuntime: endsWebSocketsWithServer(Deno.version.deno),
  });
}

/**
 * Binds the ports.
 *
 * @throws {Deno.errors.AddrInUse} when one is taken.
 * @throws {ListenError} when the address is not one of this machine's, or needs
 * more rights.
 */
export async function openListeners(options: PlatformOptions): Promise<Listeners> {
  let handler = starting;
  let secureHandler = starting;
  let certificates: CertificateService | undefined;
  let closing: Promise<void> | undefined;
  const acceptor = createAcceptor(options);
  const serve = async (
    listener: Deno.TcpListener | Deno.TlsListener,
    closed: AbortSignal,
    { scheme, current }: { scheme: "http" | "https"; current: () => ConnectionHandler },
  ): Promise<void> => {
    setAcceptedOptions(listener.addr.port, { stalledMs: acceptor.limits.bodyMs });
    await acceptor.serve({
      ...{ listener, closed, scheme },
      handler: (request, connection) => current()(request, connection),
    });
  };
  const plain = listen(options);
  const { port } = plain.addr;
  const closed = new AbortController();
  const servePlain = async () => {
    for (let listener = plain;;) {
      try {
        return await serve(listener, closed.signal, { scheme: "http", current: () => handler });
      } catch {
        if (closed.signal.aborted) return;
        closeQuietly(listener);
        listener = await listenAgain({ ...options, port });
        if (closed.signal.aborted) return closeQuietly(listener);
      }
    }
  };
  const finished = servePlain();
  const closePlain = () => {
    closed.abort();
    closeQuietly(plain);
    return finished;
  };
  try {
    const secure = options.tls === undefined && options.acme === undefined
      ? undefined
      : await openSecureListener({
        hostname: options.host,
        port: options.httpsPort ?? DEFAULT_HTTPS_PORT,
        serve: (listener, signal) =>
          serve(listener, signal, { scheme: "https", current: () => secureHandler }),
        files: options.tls,
        ordered: options.acme === undefined ? undefined : () => certificates,
        now: systemClock,
        log: options.log,
      });
    const close = async () => {
      await Promise.all([closePlain(), secure?.close()]);
      await acceptor.drain(DRAIN_MS);
    };
    return {
      port,
      httpsPort: secure?.port,
      finished,
      open(dispatch, ordered) {
        certificates = ordered;
        [handler, secureHandler] = [
          keepUncompressed(dispatch.http),
          keepUncompressed(dispatch.https),
        ];
      },
      certificateChanged: (hostname) => secure?.changed(hostname),
      close: () => closing ??= close(),
    };
  } catch (error) {
    await closePlain();
    await acceptor.drain(0);
    throw error;
  }
}
