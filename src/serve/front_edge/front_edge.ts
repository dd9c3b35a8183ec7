/**
 * A front edge: the edge in another process, which follows a platform and passes on to it all but
 * what rules and files decide.
 *
 * @module
 */
import { createEdge, createHttpCache, createRelay } from "../../edge/mod.ts";
import { systemClock, systemRandom } from "../../lib/clock.ts";
import { addField } from "../../lib/raw_fields.ts";
import { createOutboundFetch } from "../../runtime/mod.ts";
import { requestIds } from "../../platform/core/http/mod.ts";
import type { ConnectionHandler } from "../../platform/core/listener/mod.ts";
import type { PlatformLog } from "../../platform/core/log.ts";
import {
  FACTS_HEADER,
  formatFacts,
  REFUSED_HEADER,
  SIGNATURE_HEADER,
  signRelay,
} from "../../platform/edges/mod.ts";
import { DEFAULTS } from "../../settings/mod.ts";
import { openListeners } from "../listeners.ts";
import { EdgeFiles } from "./edge_files.ts";
import { EdgeSites } from "./edge_sites.ts";
import { followFeed, type Hello } from "./follow_feed.ts";
import { PlatformClient } from "./platform_client.ts";

/** Names the edge that a response came through. */
const EDGE_HEADER = "x-svc-edge";

export interface FrontEdgeOptions {
  /** URL of the platform. */
  readonly join: URL;
  readonly key: string;
  readonly host: string;
  readonly port: number;
  readonly cacheDir: string;
  readonly cacheBytes: number;
  readonly trustProxy: readonly string[];
  readonly version: string;
  log(line: PlatformLog): void;
}

export interface RunningFrontEdge {
  readonly port: number;
  /** Resolves with the name of the edge when it knows what the platform serves. */
  readonly ready: Promise<string>;
  /** Resolves when it no longer listens. */
  readonly finished: Promise<void>;
  shutdown(): Promise<void>;
}

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
    | { readonly hello: Hello; readonly secret: Uint8Array; ahead: number; number: number }
    | undefined;

  /** As the platform said last. */
  redirectsToHttps = true;

  begin(hello: Hello): void {
    this.redirectsToHttps = hello.redirectsToHttps;
    const secret = Uint8Array.fromBase64(hello.secret);
    // The clock of this machine may be wrong.
    this.#session = { hello, secret, ahead: hello.time - systemClock(), number: 0 };
  }

  /** Follows the platform's clock: either one may be set at any time. */
  follow(time: number): void {
    if (this.#session !== undefined) this.#session.ahead = time - systemClock();
  }

  /** Passes nothing on any more. */
  end(): void {
    this.#session = undefined;
  }

  sign(
    { ip, scheme, ...of }: Parameters<Parameters<typeof createRelay>[0]["sign"]>[0],
  ): [string, string][] | undefined {
    if (this.#session === undefined) return undefined;
    const { hello: { edge, session: id }, secret, ahead } = this.#session;
    const number = ++this.#session.number;
    const time = systemClock() + ahead;
    const facts = formatFacts({ edge, id, number, time, scheme, ip });
    return [[FACTS_HEADER, facts], [SIGNATURE_HEADER, signRelay(secret, facts, of)]];
  }
}

/**
 * Starts a front edge. It listens at once; until it has reached the platform, it responds with 503.
 *
 * @throws {Deno.errors.AddrInUse} when the port is taken.
 * @throws {StoreUnusableError} when the folder for files cannot be written.
 */
export async function startFrontEdge(options: FrontEdgeOptions): Promise<RunningFrontEdge> {
  const { join, key, cacheDir: root, cacheBytes: maxBytes, version, log, trustProxy } = options;
  const onTrouble = (message: string) => log({ level: "warn", message });
  const client = new PlatformClient({ join, key });
  const files = await EdgeFiles.open({ client, root, maxBytes, onTrouble });
  const sites = new EdgeSites({ client, files });
  const signer = new Signer();
  const relay = createRelay({
    dial: dialer(join),
    sign: (of) => signer.sign(of),
    redirectsToHttps: () => signer.redirectsToHttps,
    refusedHeader: REFUSED_HEADER,
  });
  const outbound = createOutboundFetch();
  const edge = createEdge({
    origin: relay,
    resolveHost: (hostname) => sites.resolve(hostname),
    record: () => {},
    now: systemClock,
    random: systemRandom,
    requestId: requestIds(systemRandom),
    cache: createHttpCache({ now: systemClock, capacityBytes: 0, onError: () => {} }),
    outbound: outbound.fetch,
    trustProxy,
    onError: (cause, id) => log({ level: "error", message: `Request ${id} failed: ${cause}` }),
  });
  let isLost = true;
  let name = "new";
  const named = (response: Response): Response => {
    addField(response.headers, [EDGE_HEADER, isLost ? `${name}; lost` : name]);
    return response;
  };
  const handler: ConnectionHandler = (request, connection) => {
    const answer = edge(request, connection);
    return answer instanceof Response ? named(answer) : answer.then(named);
  };
  const listeners = await openListeners({
    host: options.host,
    port: options.port,
    httpsPort: 0,
    connections: DEFAULTS.connections,
    trustProxy,
    tls: undefined,
    ordersCertificates: false,
    takesOver: false,
  }, log);
  listeners.open({ http: handler, https: handler, own: handler }, undefined);
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
    onTime: (time) => signer.follow(time),
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
    port: listeners.port,
    ready: ready.promise,
    finished: listeners.finished,
    async shutdown() {
      closing.abort();
      await listeners.close();
      await following;
      relay.close();
      outbound.close();
    },
  };
}
