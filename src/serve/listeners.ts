/**
 * The platform's sockets. Requests that arrive before the platform is ready wait until it is.
 * @module
 */
import { systemClock } from "../lib/clock.ts";
import { descriptorLimit, nextDescriptor } from "../lib/descriptors.ts";
import { TrustedProxies } from "../edge/mod.ts";
import { keepUncompressed } from "../lib/automatic_compression.ts";
import { addressGroup, faultAnswer, type HostDispatch } from "../platform/core/http/mod.ts";
import {
  completeLimits,
  ConnectionAcceptor,
  type ConnectionHandler,
  setAcceptedOptions,
} from "../platform/core/listener/mod.ts";
import {
  type CertificateFiles,
  type ChangedNames,
  openSecureListener,
  type OrderedCertificates,
} from "../platform/certificates/mod.ts";
import type { PlatformLog } from "../platform/core/log.ts";
import { EarlyAnswers } from "./early_answers.ts";
import { openOwnListeners, type OwnListeners } from "./own_listeners.ts";
import type { GivenLimits } from "../platform/core/listener/mod.ts";

/** Time for running requests to finish when the platform stops, in milliseconds. */
export const DRAIN_MS = 10_000;

/** Assumed descriptor limit if the system does not report it. */
const ASSUMED_DESCRIPTORS = 1024;
/** Fraction of all descriptors that is reserved for files and connections to upstreams. */
const RESERVE = 1 / 4;

/** Address where edges on this machine reach the platform. */
export const ORIGIN_HOST = "127.0.0.1";

/** The addresses and limits of the listeners, as plain data. */
export interface ListenOptions {
  /** Address to listen on. */
  readonly host: string;
  /** Port for HTTP; 0 for any free port. */
  readonly port: number;
  /** Port for HTTPS; 0 for any free port. */
  readonly httpsPort: number;
  /** Limits on the connections that clients open. */
  readonly connections: GivenLimits;
  /** CIDRs of proxies that are trusted to report the client's address. */
  readonly trustProxy: readonly string[];
  /** The operator's own certificate. */
  readonly tls: CertificateFiles | undefined;
  /** Whether certificates are ordered for individual hosts. */
  readonly ordersCertificates: boolean;
  /** Whether another platform listens on the same ports and serves until this one is ready. */
  readonly takesOver: boolean;
  /** Whether this is one of the platform's edges. If so, the platform also listens on the port. */
  readonly sharesPort?: boolean | undefined;
  /** Whether edges on this machine relay requests to this platform. */
  readonly hasEdges?: boolean | undefined;
}

/** The handlers of the listeners. */
export interface Dispatch extends HostDispatch {
  /** Handles requests from edges on this machine. If missing, edges are treated as visitors. */
  readonly origin?: ConnectionHandler | undefined;
}

export interface Listeners {
  readonly port: number;
  readonly httpsPort: number | undefined;
  /** Loopback port for edges on this machine; missing if there are no edges. */
  readonly originPort: number | undefined;
  /** The listeners through which deployments' servers reach the edge. */
  readonly own: Pick<OwnListeners, "routeOf">;
  /** Resolves when the HTTP listener has closed. */
  readonly finished: Promise<void>;
  /**
   * From now on, passes requests to the handlers and uses the certificates of hosts that have their
   * own.
   */
  open(
    dispatch: Dispatch,
    certificates: OrderedCertificates | undefined,
  ): void;
  /**
   * Records that hosts' certificates were replaced or removed. Resolves when new connections use
   * the new certificates.
   */
  certificatesChanged(names: ChangedNames): Promise<void>;
  /** Reduces the sockets to one per port. */
  standAlone(): Promise<void>;
  /** Makes each response the last one on its connection, so clients then connect elsewhere. */
  leave(): Promise<void>;
  /**
   * Stops accepting connections, lets running requests finish, and closes connections that take too
   * long.
   */
  close(): Promise<void>;
}

/**
 * An error if the platform cannot listen on the address for a reason other than that the port is in
 * use.
 */
export class ListenError extends Error {
  override readonly name = "ListenError";
  constructor({ host, port }: Pick<ListenOptions, "host" | "port">, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`Cannot listen on ${host}:${port}: ${reason}`, { cause });
  }
}

function listen(options: ListenOptions): Deno.TcpListener {
  const { host: hostname, port, takesOver, sharesPort = false } = options;
  const isShared = takesOver || sharesPort;
  try {
    return Deno.listen({ hostname, port, ...(isShared ? { reusePort: true } : {}) });
  } catch (cause) {
    throw cause instanceof Deno.errors.AddrInUse ? cause : new ListenError(options, cause);
  }
}

function closeQuietly(listener: Deno.Listener): void {
  try {
    listener.close();
  } catch { /* its server has closed it */ }
}

/** Returns the maximum number of descriptors that this process can open. */
function usableDescriptors(): number {
  return descriptorLimit() ?? ASSUMED_DESCRIPTORS;
}

type Log = (line: PlatformLog) => void;

function createAcceptor(options: ListenOptions, log: Log): ConnectionAcceptor {
  const proxies = new TrustedProxies(options.trustProxy);
  const descriptors = usableDescriptors();
  return new ConnectionAcceptor({
    limits: completeLimits(options.connections, descriptors),
    isShort: () => nextDescriptor() >= descriptors * (1 - RESERVE),
    onError: faultAnswer(log),
    groupOf: (address) => proxies.trusts(address) ? undefined : addressGroup(address),
    onShortage: (message) => log({ level: "warn", message }),
    now: () => performance.now(),
  });
}

/** @throws {Deno.errors.AddrInUse | ListenError} */
export async function openListeners(options: ListenOptions, log: Log): Promise<Listeners> {
  const early = new EarlyAnswers(options.takesOver);
  let { http: handler, https: secureHandler, own: ownHandler } = early.dispatch;
  let originHandler = handler;
  let certificates: OrderedCertificates | undefined = early.certificates;
  let closing: Promise<void> | undefined;
  const acceptor = createAcceptor(options, log);
  const serve = (
    listener: Deno.TcpListener | Deno.TlsListener,
    closed: AbortSignal,
    handler: ConnectionHandler,
    isOfMany?: boolean,
  ): Promise<void> => {
    const { bodyMs: stalledMs } = acceptor.limits;
    setAcceptedOptions(listener.addr.port, { stalledMs });
    return acceptor.serve({ listener, closed, handler, isOfMany });
  };
  const plain = listen(options);
  const { port } = plain.addr;
  const origin = options.hasEdges === true
    ? Deno.listen({ hostname: ORIGIN_HOST, port: 0 })
    : undefined;
  const closed = new AbortController();
  const finished = serve(
    plain,
    closed.signal,
    (request, connection) => handler(request, connection),
  );
  const originServed = origin && serve(
    origin,
    closed.signal,
    (request, connection) => originHandler(request, connection),
    true,
  );
  const closePlain = async () => {
    closed.abort();
    closeQuietly(plain);
    if (origin !== undefined) closeQuietly(origin);
    await Promise.all([finished, originServed]);
  };
  try {
    const { takesOver: reusePort, ordersCertificates } = options;
    const sources = options.tls === undefined && !ordersCertificates
      ? undefined
      : { files: options.tls, ordered: ordersCertificates ? () => certificates : undefined };
    const secure = sources && await openSecureListener({
      hostname: options.host,
      port: options.httpsPort,
      serve: (listener, signal) =>
        serve(listener, signal, (request, connection) => secureHandler(request, connection)),
      now: systemClock,
      ...sources,
      reusePort,
      log,
    });
    const own = await openOwnListeners({
      handler: (request, connection) => ownHandler(request, connection),
      secure: sources,
      log,
    });
    const close = async () => {
      early.close();
      await acceptor.leave();
      await Promise.all([closePlain(), secure?.close()]);
      await Promise.all([acceptor.drain(DRAIN_MS), own.close()]);
    };
    return {
      port,
      httpsPort: secure?.port,
      originPort: origin?.addr.port,
      finished,
      own,
      open(dispatch, ordered) {
        certificates = ordered;
        early.open(dispatch, ordered);
        [handler, secureHandler, ownHandler] = [
          keepUncompressed(dispatch.http),
          keepUncompressed(dispatch.https),
          keepUncompressed(dispatch.own),
        ];
        originHandler = keepUncompressed(dispatch.origin ?? dispatch.http);
      },
      async certificatesChanged(names) {
        await Promise.all([secure?.changed(names), own.certificatesChanged(names)]);
      },
      standAlone: async () => await secure?.standAlone(),
      leave: () => acceptor.leave(),
      close: () => closing ??= close(),
    };
  } catch (error) {
    early.close();
    await closePlain();
    await acceptor.drain(0);
    throw error;
  }
}
