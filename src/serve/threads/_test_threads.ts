/**
 * Edge threads in front of a platform that a test or a bench plays.
 *
 * @module
 */
import { type Agent, request as httpRequest } from "node:http";
import { shareCounters, sharePool } from "../../edge/mod.ts";
import { Publisher } from "../../feed/mod.ts";
import { systemRandom } from "../../lib/clock.ts";
import { FunctionLinks, ServerLinks, shareSlots } from "../../runtime/mod.ts";
import type { ListenOptions } from "../listeners.ts";
import { shareRequestCounts } from "../operations/mod.ts";
import { EdgeThreads } from "./edge_threads.ts";
import type { ForwardedConnection } from "./forwarded_requests.ts";
import type { EdgeThreadsOptions } from "./threads_options.ts";
import type { ToPlatform } from "./wire.ts";

const LISTEN: ListenOptions = {
  host: "127.0.0.1",
  port: 0,
  httpsPort: undefined,
  connections: {},
  trustProxy: [],
  tls: undefined,
  ordersCertificates: false,
  reusePort: false,
  takesOver: false,
};

const SLOTS = shareSlots(4, 1);
const LINKS = new ServerLinks(SLOTS);

/** What threads are opened with, on a port of 127.0.0.1; 0 chooses one. */
export function threadsOptions(
  { port = 0, count, log = () => {} }: {
    readonly port?: number;
    readonly count: number;
    readonly log?: EdgeThreadsOptions["log"];
  },
): EdgeThreadsOptions {
  return {
    ...{ listen: { ...LISTEN, port }, count, log },
    ...{ links: LINKS, functions: new FunctionLinks(LINKS) },
    start: {
      bodies: sharePool(1024 * 1024),
      ...{ apiHosts: ["localhost"], geoip: undefined, asn: undefined, staticCacheBytes: 0 },
      ...{ cacheBytes: 0, pseudonym: "svc-test", slots: SLOTS },
      counters: shareCounters(systemRandom, 8),
      requestCounts: shareRequestCounts(4),
    },
  };
}

export interface Parts {
  readonly threads: EdgeThreads;
  readonly workers: Worker[];
  /** The workers that have applied what the feed says: from then on they can listen. */
  readonly informed: Set<Worker>;
  readonly logged: string[];
  /** What the platform answers. */
  answer: (request: Request, connection: ForwardedConnection) => Response | Promise<Response>;
  ask(path: string, options?: { readonly agent?: Agent; readonly body?: string }): Promise<string>;
}

/** Threads in front of a platform that a test plays, with the workers that run them. */
export function withThreads(count: number, run: (parts: Parts) => Promise<void>): Promise<void> {
  return withFirstThread(count, async (parts) => {
    await parts.threads.complete();
    await run(parts);
  });
}

/** The same, of which only the first has been started. */
export async function withFirstThread(
  count: number,
  run: (parts: Parts) => Promise<void>,
): Promise<void> {
  const [workers, logged]: [Worker[], string[]] = [[], []];
  const informed = new Set<Worker>();
  const OwnWorker = globalThis.Worker;
  globalThis.Worker = class extends OwnWorker {
    constructor(...args: ConstructorParameters<typeof OwnWorker>) {
      super(...args);
      workers.push(this);
      this.addEventListener("message", ({ data }: MessageEvent<readonly ToPlatform[]>) => {
        if (data.some(({ type }) => type === "applied")) informed.add(this);
      });
    }
  };
  try {
    const log: EdgeThreadsOptions["log"] = ({ message }) => logged.push(message);
    const threads = await EdgeThreads.open(threadsOptions({ count, log }));
    const parts: Parts = {
      ...{ threads, workers, informed, logged },
      answer: () => new Response("platform"),
      ask: (path, { agent, body } = {}) =>
        new Promise((resolve, reject) => {
          const options = { hostname: "127.0.0.1", port: threads.port, path, agent };
          const method = body === undefined ? "GET" : "POST";
          httpRequest({ ...options, method, headers: { host: "localhost" } }, (response) => {
            response.on("error", reject).toArray().then(
              (chunks) => resolve(`${response.statusCode} ${chunks.join("")}`),
              reject,
            );
          }).on("error", reject).end(body);
        }),
    };
    const answer = (request: Request, connection: ForwardedConnection) =>
      parts.answer(request, connection);
    threads.open({ http: answer, https: answer }, undefined);
    await threads.serve(new Publisher({ patienceMs: 1000 }), {
      answer: () => Promise.resolve(undefined),
      addLines: () => {},
      addCounts: () => {},
    });
    await run(parts).finally(() => threads.close());
  } finally {
    globalThis.Worker = OwnWorker;
  }
}

/** A message that no thread can take. */
export const crash = (worker: Worker): void =>
  worker.postMessage([{ type: "change", change: null }]);
