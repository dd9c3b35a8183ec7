import assert from "node:assert/strict";
import { Agent, request as httpRequest } from "node:http";
import { shareCounters } from "../../edge/mod.ts";
import { Publisher } from "../../feed/mod.ts";
import { until } from "../../lib/_test_until.ts";
import { systemRandom } from "../../lib/clock.ts";
import { FunctionLinks, ServerLinks, shareSlots } from "../../runtime/mod.ts";
import type { ListenOptions } from "../listeners.ts";
import { EdgeThreads } from "./edge_threads.ts";
import type { ForwardedConnection } from "./forwarded_requests.ts";

const LISTEN: ListenOptions = {
  host: "127.0.0.1",
  port: 0,
  httpsPort: undefined,
  connections: {},
  trustProxy: [],
  tls: undefined,
  ordersCertificates: false,
  reusePort: false,
  waits: false,
};

const SLOTS = shareSlots(4, 1);
const LINKS = new ServerLinks(SLOTS);

interface Parts {
  readonly threads: EdgeThreads;
  readonly workers: Worker[];
  readonly logged: string[];
  /** What the platform answers. */
  answer: (request: Request, connection: ForwardedConnection) => Response | Promise<Response>;
  ask(path: string, options?: { readonly agent?: Agent; readonly body?: string }): Promise<string>;
}

/** Threads in front of a platform that a test plays, with the workers that run them. */
async function withThreads(count: number, run: (parts: Parts) => Promise<void>): Promise<void> {
  const [workers, logged]: [Worker[], string[]] = [[], []];
  const OwnWorker = globalThis.Worker;
  globalThis.Worker = class extends OwnWorker {
    constructor(...args: ConstructorParameters<typeof OwnWorker>) {
      super(...args);
      workers.push(this);
    }
  };
  try {
    const threads = await EdgeThreads.open({
      ...{ listen: LISTEN, count, log: ({ message }) => logged.push(message) },
      ...{ links: LINKS, functions: new FunctionLinks(LINKS) },
      start: {
        ...{ apiHosts: ["localhost"], geoip: undefined, asn: undefined, staticCacheBytes: 0 },
        ...{ cacheBytes: 0, pseudonym: "svc-test", slots: SLOTS },
        counters: shareCounters(systemRandom, 8),
      },
    });
    const parts: Parts = {
      ...{ threads, workers, logged },
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
const crash = (worker: Worker): void => worker.postMessage([{ type: "change", change: null }]);

Deno.test("EdgeThreads hands requests over with what the client sent", () =>
  withThreads(2, async (parts) => {
    parts.answer = async (request, { remoteAddress, scheme, handedOver }) =>
      Response.json([
        ...[request.method, request.url, await request.text()],
        ...[remoteAddress, scheme, handedOver?.decided ?? null],
      ]);
    const answer = await parts.ask("/a/../b?%7e=1", { body: "content" });
    const url = `http://localhost/a/../b?%7e=1`;
    assert.equal(
      answer,
      `200 ${JSON.stringify(["POST", url, "content", "127.0.0.1", "http", null])}`,
    );
  }));

Deno.test("EdgeThreads passes bodies on in parts, both ways, and lets them go", () =>
  withThreads(1, async (parts) => {
    const part = "x".repeat(100_000);
    parts.answer = (request) => new Response(request.body);
    assert.equal(await parts.ask("/", { body: part.repeat(20) }), `200 ${part.repeat(20)}`);
    const cancelled = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    parts.answer = (request) => {
      request.signal.addEventListener("abort", () => left.resolve());
      return new Response(
        new ReadableStream({
          pull: (controller) => controller.enqueue(new TextEncoder().encode(part)),
          cancel: () => cancelled.resolve(),
        }),
      );
    };
    const leaving = httpRequest({
      ...{ hostname: "127.0.0.1", port: parts.threads.port, headers: { host: "localhost" } },
    }, (response) => response.once("data", () => leaving.destroy()));
    leaving.on("error", () => {}).end();
    await Promise.all([cancelled.promise, left.promise]);
  }));

Deno.test("EdgeThreads answers for a platform that fails, and logs why", () =>
  withThreads(1, async (parts) => {
    parts.answer = () => Promise.reject(new Error("out of order"));
    assert.match(await parts.ask("/"), /^500 The platform failed to answer/);
    assert.match(parts.logged.join("\n"), /out of order/);
  }));

Deno.test("a thread that dies is replaced; only its own connections are lost", () =>
  withThreads(3, async (parts) => {
    const { threads, workers, logged, ask } = parts;
    const agents = Array.from({ length: 24 }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
    const all = () => Promise.allSettled(agents.map((agent) => ask("/", { agent })));
    await all();
    // A spare one is there.
    await until(() => workers.length === 4);
    crash(workers[1]!);
    await until(() => workers.length === 5);
    await until(async () => {
      const answers = await all();
      return answers.every((each) => each.status === "fulfilled" && each.value === "200 platform");
    });
    assert.equal(logged.filter((line) => /^Edge thread 1 has ended/.test(line)).length, 1);
    await threads.collectLines();
    for (const agent of agents) agent.destroy();
  }));

Deno.test("EdgeThreads.open() reports a port that is taken, although threads share theirs", async () => {
  using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = taken.addr;
  await assert.rejects(
    EdgeThreads.open({
      ...{ listen: { ...LISTEN, port }, count: 2, log: () => {} },
      ...{ links: LINKS, functions: new FunctionLinks(LINKS) },
      start: {
        ...{ apiHosts: [], geoip: undefined, asn: undefined, staticCacheBytes: 0 },
        ...{ cacheBytes: 0, pseudonym: "svc-test", slots: SLOTS },
        counters: shareCounters(systemRandom, 8),
      },
    }),
    Deno.errors.AddrInUse,
  );
});
