/**
 * A front edge. Follows a platform, and relays to it the requests that rules and files cannot
 * answer.
 * @module
 */
import {
  createEdge,
  createHttpCache,
  createRelay,
  type LoadedGeo,
  type RelayedClient,
} from "../../edge/mod.ts";
import { messageOf } from "../../lib/error_message.ts";
import { systemClock, systemRandom } from "../../lib/clock.ts";
import { addField } from "../../lib/raw_fields.ts";
import { createOutboundFetch } from "../../runtime/mod.ts";
import { requestIds } from "../../platform/core/http/mod.ts";
import { asLast, type ConnectionHandler } from "../../platform/core/listener/mod.ts";
import type { PlatformLog } from "../../platform/core/log.ts";
import {
  FACTS_HEADER,
  formatFacts,
  REFUSED_HEADER,
  SIGNATURE_HEADER,
  signRelay,
} from "../../platform/edges/mod.ts";
import { DEFAULTS } from "../../settings/mod.ts";
import { type Listeners, type ListenOptions, openListeners } from "../listeners.ts";
import { EdgeCertificates } from "./edge_certificates.ts";
import { EdgeFiles, type OpenEdgeFiles } from "./edge_files.ts";
import { EdgeSites } from "./edge_sites.ts";
import { type FeedFollowerOptions, followFeed, type Hello } from "./follow_feed.ts";
import { PlatformClient } from "./platform_client.ts";
import { ServedLog } from "./served_log.ts";

/** Response header with the name of the edge. */
const EDGE_HEADER = "x-svc-edge";

/** Paths of load balancers' health checks. */
const HEALTH = /^[^/]*\/\/[^/]*\/(?:healthz|readyz)$/;

interface FollowOptions {
  /** URL of the platform. */
  readonly join: URL;
  readonly key: string;
  /** Source of files: the platform's files on this machine, or copies. */
  readonly files: OpenEdgeFiles;
  /**
   * Looks up clients' locations. If missing, the platform handles requests that depend on their
   * locations.
   */
  readonly geo?: LoadedGeo | undefined;
  /** Memory for small files, in bytes. */
  readonly memoryBytes?: number | undefined;
  /** Memory for responses from the platform, in bytes. */
  readonly responseBytes?: number | undefined;
  /** Whether the edge belongs to the platform on this machine. */
  readonly isLocal?: boolean | undefined;
  /**
   * Time without a connection to the platform after which the edge rejects all requests, in
   * milliseconds.
   */
  readonly refuseAfterMs: number;
  readonly trustProxy: readonly string[];
  /** The edge's public addresses and country. */
  readonly place?: FeedFollowerOptions["place"];
  readonly version: string;
  log(line: PlatformLog): void;
}

interface FrontEdgeOptions extends Omit<FollowOptions, "files" | "geo" | "isLocal"> {
  readonly host: string;
  readonly port: number;
  /** Port for HTTPS, with the platform's certificates. Missing if TLS is terminated elsewhere. */
  readonly httpsPort?: number | undefined;
  readonly cacheDir: string;
  readonly cacheBytes: number;
  /** Resolves when the edge must stop. */
  readonly stopped: Promise<void>;
}

/** An edge that follows the platform, without its own listener. */
export interface FollowingEdge {
  readonly handler: ConnectionHandler;
  readonly certificates: EdgeCertificates;
  /** Resolves with the edge's name once the edge has the platform's sites. */
  readonly ready: Promise<string>;
  /** Stops following the platform. Must be called once no more requests arrive. */
  close(): Promise<void>;
}

export interface RunningFrontEdge {
  readonly name: string;
  readonly port: number;
  readonly httpsPort: number | undefined;
  /** Resolves once the edge no longer listens. */
  readonly finished: Promise<void>;
  shutdown(): Promise<void>;
}

/** Tells load balancers to send clients to other edges. */
const drained = () =>
  new Response("The edge is drained\n", { status: 503, headers: { connection: "close" } });

/** Opens connections to the platform. */
function dialer({ protocol, hostname, port }: URL): () => Promise<Deno.Conn> {
  const isSecure = protocol === "https:";
  const to = {
    hostname: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(port || (isSecure ? 443 : 80)),
  };
  return async () => {
    if (isSecure) return await Deno.connectTls({ ...to, alpnProtocols: ["http/1.1"] });
    const conn = await Deno.connect(to);
    conn.setNoDelay(true);
    return conn;
  };
}

/** Signs the requests that the edge relays in its session. */
class Signer {
  #session:
    | { readonly hello: Hello; readonly secret: Uint8Array; number: number }
    | undefined;
  #ahead = 0;

  /** The latest setting from the platform. */
  redirectsToHttps = true;

  begin(hello: Hello): void {
    this.redirectsToHttps = hello.redirectsToHttps;
    const secret = Uint8Array.fromBase64(hello.secret);
    this.follow(hello.time);
    this.#session = { hello, secret, number: 0 };
  }

  /** Returns the platform's time. This machine's clock may be wrong. */
  now(): number {
    return systemClock() + this.#ahead;
  }

  /** Adjusts to the platform's clock, because either clock can be changed at any time. */
  follow(time: number): void {
    this.#ahead = time - systemClock();
  }

  /** Stops relaying requests. */
  end(): void {
    this.#session = undefined;
  }

  sign(
    { ip, scheme, ...of }: RelayedClient,
  ): [string, string][] | undefined {
    if (this.#session === undefined) return undefined;
    const { hello: { edge, session: id }, secret } = this.#session;
    const number = ++this.#session.number;
    const time = this.now();
    const facts = formatFacts({ edge, id, number, time, scheme, ip });
    return [[FACTS_HEADER, facts], [SIGNATURE_HEADER, signRelay(secret, facts, of)]];
  }
}

/** Follows a platform. Responds with 503 until the edge has reached the platform. */
export async function followPlatform(options: FollowOptions): Promise<FollowingEdge> {
  const { join, key, isLocal = false, refuseAfterMs, version, log, trustProxy } = options;
  const { memoryBytes, responseBytes } = options;
  const onTrouble = (message: string) => log({ level: "warn", message });
  const client = new PlatformClient({ join, key });
  const files = await options.files({ client, onTrouble });
  const served = new ServedLog({
    client,
    random: systemRandom,
    isLocal,
    isThere: () => lostAt === undefined,
    onTrouble,
  });
  const signer = new Signer();
  const cache = createHttpCache({
    now: () => signer.now(),
    capacityBytes: responseBytes,
    onError: (error) => onTrouble(`Cannot renew a cached response: ${messageOf(error)}`),
  });
  const sites = new EdgeSites({ client, files, cache });
  const certificates = new EdgeCertificates({
    client,
    isHost: (hostname) => sites.isHost(hostname),
    onTrouble,
  });
  const relaying = {
    dial: dialer(join),
    leavesProxies: isLocal,
    redirectsToHttps: () => signer.redirectsToHttps,
  };
  const relay = createRelay({
    ...relaying,
    sign: (of) => signer.sign(of),
    refusedHeader: REFUSED_HEADER,
  });
  const outbound = createOutboundFetch();
  const parts = {
    record: served.record,
    count: served.count,
    match: served.match,
    // This clock is used because the platform's log combines the times of all processes.
    now: () => signer.now(),
    random: systemRandom,
    requestId: requestIds(systemRandom),
    cache,
    outbound: outbound.fetch,
    trustProxy,
    cacheBytes: memoryBytes,
    ...options.geo,
    onError: (cause: unknown, id: string) =>
      log({ level: "error", message: `Request ${id} failed: ${cause}` }),
  };
  const edge = createEdge({
    ...parts,
    origin: relay,
    // Outdated sites must not be served. Therefore, only the platform can respond, if it is
    // reachable.
    resolveHost: (hostname) => isTooOld() ? undefined : sites.resolve(hostname),
  });
  // Relays requests whose fields another edge has signed.
  const signed = createRelay(relaying);
  const passOn = createEdge({ ...parts, origin: signed, resolveHost: () => undefined });
  let lostAt: number | undefined = performance.now();
  const isTooOld = () => lostAt !== undefined && performance.now() - lostAt >= refuseAfterMs;
  let isDrained = false;
  let name = "new";
  const named = (response: Response): Response => {
    addField(response.headers, [
      EDGE_HEADER,
      lostAt !== undefined && !isLocal ? `${name}; lost` : name,
    ]);
    return response;
  };
  const handler: ConnectionHandler = (request, connection) => {
    if (isLocal && request.headers.has(FACTS_HEADER)) return passOn(request, connection);
    if (isDrained && !isLocal && HEALTH.test(request.url)) return drained();
    const answer = edge(request, connection);
    const through = answer instanceof Response ? named(answer) : answer.then(named);
    return isDrained ? asLast(through) : through;
  };
  const closing = new AbortController();
  const ready = Promise.withResolvers<string>();
  ready.promise.catch(() => {});
  const following = followFeed({
    client,
    version,
    place: options.place,
    signal: closing.signal,
    async apply(message) {
      await Promise.all([sites.apply(message), certificates.apply(message)]);
    },
    async replace(messages) {
      await Promise.all([sites.replace(messages), certificates.forgetAll()]);
    },
    onHello(hello) {
      certificates.allow();
      signer.begin(hello);
      name = hello.edge;
    },
    onAlive(line) {
      if (line.time !== undefined) signer.follow(line.time);
      isDrained = line.isDrained === true;
    },
    onState(state) {
      if (state === "lost") return void (lostAt ??= performance.now());
      if (lostAt !== undefined) log({ level: "info", message: "Following the platform" });
      lostAt = undefined;
      ready.resolve(name);
    },
    onRefused(error) {
      signer.end();
      certificates.revoke().catch((cause) => onTrouble(messageOf(cause)));
      ready.reject(error);
    },
    onTrouble,
  });
  return {
    handler,
    certificates,
    ready: ready.promise,
    async close() {
      await served.close();
      certificates.close();
      closing.abort();
      await following;
      relay.close();
      signed.close();
      outbound.close();
    },
  };
}

/** Listens for an edge: for HTTP and, if a port for HTTPS is set, for HTTPS. */
export async function listenFor(
  { handler, certificates }: Pick<FollowingEdge, "handler" | "certificates">,
  { log, httpsPort, ...options }:
    & Pick<ListenOptions, "host" | "port" | "trustProxy" | "sharesPort">
    & { readonly connections?: ListenOptions["connections"] }
    & Pick<FrontEdgeOptions, "log" | "httpsPort">,
): Promise<Listeners> {
  const listeners = await openListeners({
    ...options,
    connections: options.connections ?? DEFAULTS.connections,
    httpsPort: httpsPort ?? 0,
    tls: undefined,
    ordersCertificates: httpsPort !== undefined,
    takesOver: false,
  }, log);
  listeners.open({ http: handler, https: handler, own: handler }, certificates);
  certificates.onChanged = (names) => listeners.certificatesChanged(names);
  return listeners;
}

/**
 * Starts a front edge, which listens once it knows the platform's sites. Until then, connections
 * are refused immediately, so clients use another edge. Returns `undefined` if the edge is stopped
 * first.
 *
 * @throws {EdgeKeyError} if the platform does not accept the key.
 * @throws {Deno.errors.AddrInUse} if the port is in use.
 * @throws {StoreUnusableError} if the folder for files is not writable.
 */
export async function startFrontEdge(
  options: FrontEdgeOptions,
): Promise<RunningFrontEdge | undefined> {
  const { cacheDir: root, cacheBytes: maxBytes, stopped } = options;
  const edge = await followPlatform({
    ...options,
    files: (parts) => EdgeFiles.open({ ...parts, root, maxBytes }),
  });
  try {
    const name = await Promise.race([edge.ready, stopped]);
    if (name === undefined) return void await edge.close();
    const listeners = await listenFor(edge, options);
    const { port, httpsPort, finished } = listeners;
    return {
      name,
      port,
      httpsPort,
      finished,
      async shutdown() {
        await listeners.close();
        await edge.close();
      },
    };
  } catch (error) {
    await edge.close();
    throw error;
  }
}
