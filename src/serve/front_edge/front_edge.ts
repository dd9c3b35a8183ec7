/**
 * A front edge: the edge in another process, which follows a platform and passes on to it all but
 * what rules and files decide.
 *
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
import { EdgeFiles, type OpenEdgeFiles } from "./edge_files.ts";
import { EdgeSites } from "./edge_sites.ts";
import { followFeed, type Hello } from "./follow_feed.ts";
import { PlatformClient } from "./platform_client.ts";
import { ServedLog } from "./served_log.ts";

/** Names the edge that a response came through. */
const EDGE_HEADER = "x-svc-edge";

/** Addresses of load balancers' checks. */
const HEALTH = /^[^/]*\/\/[^/]*\/(?:healthz|readyz)$/;

export interface FollowOptions {
  /** URL of the platform. */
  readonly join: URL;
  readonly key: string;
  /** Where files come from: the platform on this machine, or copies. */
  readonly files: OpenEdgeFiles;
  /** Looks up clients; without it, the platform answers what depends on their place. */
  readonly geo?: LoadedGeo | undefined;
  /** Memory for small files, in bytes. */
  readonly memoryBytes?: number | undefined;
  /** Memory for responses of the platform, in bytes. */
  readonly responseBytes?: number | undefined;
  /** Whether it belongs to the local platform, and serves nothing while it does not follow. */
  readonly isLocal?: boolean | undefined;
  readonly trustProxy: readonly string[];
  readonly version: string;
  log(line: PlatformLog): void;
}

export interface FrontEdgeOptions extends Omit<FollowOptions, "files" | "geo" | "isLocal"> {
  readonly host: string;
  readonly port: number;
  readonly cacheDir: string;
  readonly cacheBytes: number;
}

/** An edge that follows, and does not listen by itself. */
export interface FollowingEdge {
  readonly handler: ConnectionHandler;
  /** Resolves with the name of the edge when it knows what the platform serves. */
  readonly ready: Promise<string>;
  /** Stops following, once no request comes any more. */
  close(): Promise<void>;
}

export interface RunningFrontEdge {
  readonly port: number;
  /** Resolves with the name of the edge when it knows what the platform serves. */
  readonly ready: Promise<string>;
  /** Resolves when it no longer listens. */
  readonly finished: Promise<void>;
  shutdown(): Promise<void>;
}

/** Tells balancers to send their clients elsewhere. */
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

/** Signs what the edge passes on, in its session. */
class Signer {
  #session:
    | { readonly hello: Hello; readonly secret: Uint8Array; number: number }
    | undefined;
  #ahead = 0;

  /** As the platform said last. */
  redirectsToHttps = true;

  begin(hello: Hello): void {
    this.redirectsToHttps = hello.redirectsToHttps;
    const secret = Uint8Array.fromBase64(hello.secret);
    this.follow(hello.time);
    this.#session = { hello, secret, number: 0 };
  }

  /** The time as the platform has it: this machine's clock may be wrong. */
  now(): number {
    return systemClock() + this.#ahead;
  }

  /** Follows the platform's clock: either one may be set at any time. */
  follow(time: number): void {
    this.#ahead = time - systemClock();
  }

  /** Passes nothing on any more. */
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

/** Follows a platform; until the edge has reached it, it responds with 503. */
export async function followPlatform(options: FollowOptions): Promise<FollowingEdge> {
  const { join, key, isLocal = false, version, log, trustProxy } = options;
  const { memoryBytes, responseBytes } = options;
  const onTrouble = (message: string) => log({ level: "warn", message });
  const client = new PlatformClient({ join, key });
  const files = await options.files({ client, onTrouble });
  const served = new ServedLog({
    client,
    random: systemRandom,
    isThere: () => !isLost,
    onTrouble,
  });
  const signer = new Signer();
  const cache = createHttpCache({
    now: () => signer.now(),
    ...(responseBytes === undefined ? {} : { capacityBytes: responseBytes }),
    onError: (error) => onTrouble(`Cannot renew a cached response: ${messageOf(error)}`),
  });
  const sites = new EdgeSites({ client, files, cache });
  const relaying = {
    dial: dialer(join),
    leavesProxies: isLocal,
    redirectsToHttps: () => signer.redirectsToHttps,
    refusedHeader: REFUSED_HEADER,
  };
  const relay = createRelay({ ...relaying, sign: (of) => signer.sign(of) });
  const outbound = createOutboundFetch();
  const parts = {
    record: served.record,
    count: served.count,
    // The platform's log has the times of all processes.
    now: () => signer.now(),
    random: systemRandom,
    requestId: requestIds(systemRandom),
    cache,
    outbound: outbound.fetch,
    trustProxy,
    ...(memoryBytes === undefined ? {} : { cacheBytes: memoryBytes }),
    ...options.geo,
    onError: (cause: unknown, id: string) =>
      log({ level: "error", message: `Request ${id} failed: ${cause}` }),
  };
  const edge = createEdge({
    ...parts,
    origin: relay,
    // The platform is reachable: it serves until this edge is up to date.
    resolveHost: (hostname) => isLocal && isLost ? undefined : sites.resolve(hostname),
  });
  // What other edges have signed.
  const signed = createRelay(relaying);
  const passOn = createEdge({ ...parts, origin: signed, resolveHost: () => undefined });
  let isLost = true;
  let isDrained = false;
  let name = "new";
  const named = (response: Response): Response => {
    addField(response.headers, [EDGE_HEADER, isLost && !isLocal ? `${name}; lost` : name]);
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
    signal: closing.signal,
    apply: (message) => sites.apply(message),
    replace: (messages) => sites.replace(messages),
    onHello(hello) {
      signer.begin(hello);
      name = hello.edge;
    },
    onAlive(line) {
      if (line.time !== undefined) signer.follow(line.time);
      isDrained = line.isDrained === true;
    },
    onState(state) {
      if (isLost && state === "current") log({ level: "info", message: "Follows the platform" });
      isLost = state === "lost";
      if (!isLost) ready.resolve(name);
    },
    onRefused(error) {
      signer.end();
      ready.reject(error);
    },
    onTrouble,
  });
  return {
    handler,
    ready: ready.promise,
    async close() {
      await served.close();
      closing.abort();
      await following;
      relay.close();
      signed.close();
      outbound.close();
    },
  };
}

/** Listens on plain HTTP for an edge. */
export async function listenFor(
  handler: ConnectionHandler,
  { log, ...options }:
    & Pick<ListenOptions, "host" | "port" | "trustProxy" | "sharesPort">
    & { readonly connections?: ListenOptions["connections"] }
    & Pick<FollowOptions, "log">,
): Promise<Listeners> {
  const listeners = await openListeners({
    connections: DEFAULTS.connections,
    ...options,
    httpsPort: 0,
    tls: undefined,
    ordersCertificates: false,
    takesOver: false,
  }, log);
  listeners.open({ http: handler, https: handler, own: handler }, undefined);
  return listeners;
}

/**
 * Starts a front edge, which listens at once.
 *
 * @throws {Deno.errors.AddrInUse} when the port is taken.
 * @throws {StoreUnusableError} when the folder for files cannot be written.
 */
export async function startFrontEdge(options: FrontEdgeOptions): Promise<RunningFrontEdge> {
  const { cacheDir: root, cacheBytes: maxBytes } = options;
  const edge = await followPlatform({
    ...options,
    files: (parts) => EdgeFiles.open({ ...parts, root, maxBytes }),
  });
  const listeners = await listenFor(edge.handler, options).catch(async (error) => {
    await edge.close();
    throw error;
  });
  return {
    port: listeners.port,
    ready: edge.ready,
    finished: listeners.finished,
    async shutdown() {
      await listeners.close();
      await edge.close();
    },
  };
}
