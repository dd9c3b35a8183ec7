/** Thin edges, which hand over what their copies of cached responses cannot answer. */
import assert from "node:assert/strict";
import { setImmediate } from "node:timers";
import fc from "fast-check";
import { computeOf } from "./_test_compute.ts";
import { cached, functionsOf, toUpstream, UPSTREAM } from "./_test_dynamic.ts";
import { rawRequest, STATIC_MANIFEST, testSite } from "./_test_site.ts";
import { borrowBodies, shareBodies, sharePool } from "./bodies/mod.ts";
import { createHttpCache, type HttpCache } from "./cache/http_cache.ts";
import { createEdge } from "./edge.ts";
import type { EdgeHandler, EdgeOptions } from "./edge_options.ts";
import { IsrMemory } from "./isr/mod.ts";
import type { Rule } from "../rules/mod.ts";
import type { Manifest } from "../manifest/mod.ts";
import { systemRandom } from "../lib/clock.ts";

const SERVERS: Manifest = {
  version: 1,
  layers: [
    { name: "server", target: "COMPUTE", directory: "server", entry: "server/main.mjs" },
    { name: "files", target: "STATIC", directory: "." },
  ],
  routes: [
    { pattern: "^/pages/.*$", layer: "server", priority: 2, revalidate: 60 },
    { pattern: "^/maybe/.*$", layer: "server", priority: 2, revalidate: 60, fallthrough: true },
    { pattern: "^/declared/.*$", layer: "server", priority: 1 },
    { pattern: "^/.*$", layer: "files" },
  ],
};

/** Memory of every other thin edge for bodies; the others have none, and read those of the full one. */
const HELD_BYTES = 1024;

interface Asked {
  readonly at: number;
  readonly path: string;
  readonly init?: RequestInit;
}

/** An edge that can do everything, with thin ones in front of it, all by one clock. */
class Edges {
  now = Date.UTC(2026, 0, 1);
  /** Requests that the thin edges handed over. */
  handedOver = 0;
  /** Requests that reached functions, servers and other sites. */
  produced = 0;
  /** Clock of other sites, so that each response differs. */
  readonly full: EdgeHandler;
  readonly cache: HttpCache;
  readonly pages;
  readonly thin: { readonly cache: HttpCache; readonly handle: EdgeHandler }[] = [];

  constructor(count: number, rules: readonly Rule[], { manifest = STATIC_MANIFEST } = {}) {
    const now = () => this.now;
    const pool = sharePool(1024 * 1024);
    const bodies = shareBodies(pool);
    this.cache = createHttpCache({
      ...{ now, bodies },
      onInvalid: (uris) => {
        for (const { cache } of this.thin) cache.removeUris(uris);
        return Promise.resolve();
      },
    });
    const answer = (name: string) => {
      this.produced++;
      return new Response(`${name} ${this.produced}`, { headers: { etag: `"${this.produced}"` } });
    };
    const compute = manifest === SERVERS
      ? computeOf({
        server: (request) => {
          const { pathname } = new URL(request.url);
          if (pathname === "/maybe/not") return new Response("no", { status: 404 });
          const response = answer("server");
          if (pathname.startsWith("/declared/")) {
            response.headers.set("cdn-cache-control", "public, max-age=60");
            response.headers.set("vary", "accept-language");
            response.headers.set("svc-cache-tag", "news");
          }
          return response;
        },
      }, { now, memory: new IsrMemory(512 * 1024, bodies) })
      : undefined;
    this.pages = compute?.pages;
    const functions = functionsOf({ count: () => answer("function"), before: () => {} });
    const files = { "index.html": "home", "server/main.mjs": "" };
    const { site } = testSite(files, { manifest, rules, functions, compute });
    const { site: thinSite } = testSite(files, { manifest, rules });
    const options: EdgeOptions = {
      ...{ resolveHost: () => site, record: () => {}, now, random: systemRandom },
      ...{ stopwatch: () => 0, requestId: () => "id", pseudonym: "svc-test" },
      onError: (error) => assert.fail(String(error)),
    };
    this.full = createEdge({
      ...options,
      cache: this.cache,
      outbound: ({ url }) => {
        this.produced++;
        const body = new Response(`upstream ${this.produced}`).body;
        return Promise.resolve({
          ...{ status: 200, statusText: "OK", headers: [], body, url, redirected: false },
        });
      },
    });
    for (let index = 0; index < count; index++) {
      const cache = createHttpCache({ now, bodies: borrowBodies(pool, index % 2 * HELD_BYTES) });
      const handle = createEdge({
        ...{ ...options, cache, resolveHost: () => thinSite },
        handOver: (request, connection, decided) => {
          this.handedOver++;
          const handedOver = {
            ...{ decided, content: null, upgrade: () => assert.fail("no sockets") },
            keepCopy: (copy: Parameters<HttpCache["adopt"]>[0]) =>
              cache.adopt(structuredClone(copy)),
          };
          return Promise.resolve(this.full(request, { ...connection, handedOver }));
        },
      });
      this.thin.push({ cache, handle });
    }
  }

  /** Asks the thin edge at an index, or the full one where there is none. */
  async ask({ at, path, init = {} }: Asked) {
    const handle = this.thin[at]?.handle ?? this.full;
    const response = await handle(rawRequest(`http://site.test${path}`, init), {
      ...{ remoteAddress: "192.0.2.1", scheme: "http" },
    });
    const text = await response.text();
    const names = ["x-svc-cache", "cache-status", "age", "content-range", "etag", "x-rule"];
    const fields = names.flatMap((name) => response.headers.get(name) ?? []);
    return `${response.status} ${[...fields, text].join(" | ")}`;
  }

  purge(scope: Parameters<HttpCache["purge"]>[1], soft = false): void {
    this.cache.purge("deployment-1", scope, { soft });
    const staleSince = soft ? this.now : undefined;
    for (const { cache } of this.thin) {
      cache.purgeSince({ deploymentId: "deployment-1", scopes: [scope], staleSince });
    }
  }
}

/** Lets refreshes in the background end. */
const settle = async () => {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
};

const counted: Rule = {
  id: "count",
  action: { type: "pipeline", steps: [{ handle: "count" }] },
};

Deno.test("a thin edge answers from its copy what the full one would answer, by the same clock", async () => {
  const edges = new Edges(2, [counted, cached(), {
    id: "header",
    action: { type: "set_headers", headers: { "x-rule": "yes" } },
  }]);
  assert.match(await edges.ask({ at: 0, path: "/a" }), /^200 MISS .*yes \| function 1$/);
  edges.now += 5_000;
  await edges.ask({ at: 0, path: "/a" });
  assert.equal(edges.handedOver, 2);
  edges.now += 7_000;
  const expected = '200 HIT | svc; hit; ttl=48 | 12 | "1" | yes | function 1';
  assert.equal(await edges.ask({ at: 0, path: "/a" }), expected);
  assert.equal(edges.handedOver, 2);
  assert.equal(await edges.ask({ at: 1, path: "/a" }), expected);
  assert.equal(edges.handedOver, 3);
  assert.equal(await edges.ask({ at: 1, path: "/a" }), expected);
  assert.deepEqual([edges.handedOver, edges.produced], [3, 1]);
});

const READS: readonly {
  readonly name: string;
  readonly init: RequestInit;
  readonly says: RegExp;
}[] = [
  { name: "HEAD", init: { method: "HEAD" }, says: /^200 HIT .*\| $/ },
  {
    name: "If-None-Match",
    init: { headers: { "if-none-match": '"1"' } },
    says: /^304 HIT .*\| $/,
  },
  {
    name: "Range",
    init: { headers: { range: "bytes=0-3" } },
    says: /^206 HIT .*bytes 0-3\/10 .*\| func$/,
  },
];

for (const { name, init, says } of READS) {
  Deno.test(`a thin edge answers ${name} from its copy as the full one does`, async () => {
    const edges = new Edges(1, [counted, cached()]);
    for (let round = 0; round < 2; round++) await edges.ask({ at: 0, path: "/a" });
    const own = await edges.ask({ at: 0, path: "/a", init });
    assert.equal(edges.handedOver, 2);
    assert.match(own, says);
    assert.equal(await edges.ask({ at: -1, path: "/a", init }), own);
  });
}

Deno.test("a stale copy is handed over: the full edge serves it once more, and refreshes it", async () => {
  const edges = new Edges(1, [counted, cached({ swrSeconds: 100 })]);
  for (let round = 0; round < 2; round++) await edges.ask({ at: 0, path: "/a" });
  edges.now += 61_000;
  assert.match(await edges.ask({ at: 0, path: "/a" }), /STALE.*function 1$/);
  await settle();
  assert.match(await edges.ask({ at: 0, path: "/a" }), /HIT.*function 2$/);
  assert.deepEqual([edges.handedOver, edges.produced], [4, 2]);
  assert.match(await edges.ask({ at: 0, path: "/a" }), /HIT.*function 2$/);
  assert.equal(edges.handedOver, 4);
});

Deno.test("a soft purge makes copies stale, and a purge removes them", async () => {
  const edges = new Edges(2, [counted, cached({ swrSeconds: 100 })]);
  for (const at of [0, 0, 1]) await edges.ask({ at, path: "/a" });
  edges.purge({ type: "path", path: "/a" }, true);
  assert.match(await edges.ask({ at: 1, path: "/a" }), /STALE.*function 1$/);
  await settle();
  assert.match(await edges.ask({ at: 0, path: "/a" }), /HIT.*function 2$/);
  edges.purge({ type: "all" });
  assert.match(await edges.ask({ at: 0, path: "/a" }), /MISS.*function 3$/);
  assert.match(await edges.ask({ at: 1, path: "/a" }), /HIT.*function 3$/);
});

Deno.test("a response that steps before the cache may change is never copied", async () => {
  const steps = [{ use: "before", mode: "request" as const }, { handle: "count" }];
  const edges = new Edges(1, [{ id: "count", action: { type: "pipeline", steps } }, cached()]);
  for (let round = 0; round < 3; round++) await edges.ask({ at: 0, path: "/a" });
  assert.deepEqual([edges.handedOver, edges.thin[0]!.cache.size, edges.produced], [3, 0, 1]);
});

Deno.test("a request that is in a loop is handed over, although there is a copy", async () => {
  const edges = new Edges(1, [toUpstream, cached()]);
  for (let round = 0; round < 2; round++) await edges.ask({ at: 0, path: "/a" });
  const via = Array(9).fill("1.1 svc-test").join(", ");
  assert.match(await edges.ask({ at: 0, path: "/a", init: { headers: { via } } }), /^508 /);
  assert.equal(edges.handedOver, 3);
});

Deno.test("pages of servers are answered from copies, by route and by their own word", async () => {
  const edges = new Edges(1, [], { manifest: SERVERS });
  for (const path of ["/pages/a", "/declared/a"]) {
    const first = await edges.ask({ at: 0, path });
    await settle();
    const handedOver = edges.handedOver;
    const second = await edges.ask({ at: 0, path });
    assert.match(second, /^200 HIT/);
    assert.equal(await edges.ask({ at: 0, path }), second);
    assert.equal(await edges.ask({ at: -1, path }), second);
    assert.equal(edges.handedOver, handedOver + 1, path);
    assert.equal(second.split(" | ").at(-1), first.split(" | ").at(-1));
  }
  const german = { headers: { "accept-language": "de" } };
  assert.match(await edges.ask({ at: 0, path: "/declared/a", init: german }), /server 3$/);
});

Deno.test("a page that falls through to the next route is answered by the full edge", async () => {
  const edges = new Edges(1, [], { manifest: SERVERS });
  for (let round = 0; round < 3; round++) {
    assert.match(await edges.ask({ at: 0, path: "/maybe/not" }), /^404 /);
  }
  assert.equal(edges.handedOver, 3);
});

const PATHS = ["/a", "/b", "/b?x=1"];
const requests = fc.record({
  type: fc.constant("ask" as const),
  at: fc.nat(3),
  path: fc.constantFrom(...PATHS),
  init: fc.constantFrom<RequestInit>(
    {},
    {},
    {},
    { method: "HEAD" },
    { method: "POST" },
    { headers: { range: "bytes=2-4" } },
    { headers: { "cache-control": "no-store" } },
    { headers: { "accept-language": "de" } },
  ),
});
const steps = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: requests },
    fc.record({ type: fc.constant("wait" as const), seconds: fc.integer({ min: 1, max: 70 }) }),
    fc.record({
      type: fc.constant("purge" as const),
      soft: fc.boolean(),
      scope: fc.constantFrom(
        { type: "all" as const },
        { type: "path" as const, path: "/b" },
        { type: "prefix" as const, prefix: "/a" },
      ),
    }),
  ),
  { minLength: 5, maxLength: 40 },
);

type Steps = typeof steps extends fc.Arbitrary<infer Value> ? Value : never;

/** What clients see over some thin edges. */
async function story(count: number, given: Steps): Promise<string[]> {
  const external: Rule = {
    id: "proxy",
    condition: { path: { type: "exact", value: "/a" } },
    action: { type: "rewrite", target: `${UPSTREAM}/up`, external: true },
  };
  const edges = new Edges(count, [
    external,
    { ...counted, condition: { path: { type: "exact", value: "/b" } } },
    cached({ swrSeconds: 20 }),
  ]);
  const seen: string[] = [];
  for (const step of given) {
    if (step.type === "wait") edges.now += step.seconds * 1000;
    else if (step.type === "purge") edges.purge(step.scope, step.soft);
    else {
      seen.push(await edges.ask(step));
      await settle();
    }
  }
  return seen;
}

Deno.test("four thin edges show what the full one shows, whatever is asked, purged and written", () =>
  fc.assert(
    fc.asyncProperty(steps, async (given) => {
      assert.deepEqual(await story(4, given), await story(0, given));
    }),
    { numRuns: 200 },
  ));
