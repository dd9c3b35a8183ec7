/**
 * @module The cost of the cache per request, without sockets. Run by `deno task bench`. Setup is
 * not timed.
 */
import { createFacts } from "../../rules/mod.ts";
import type { HandleOptions } from "./cache_context.ts";
import { FactsRequest } from "./facts_request.ts";
import { createHttpCache, type HttpCache } from "./http_cache.ts";
import type { CachedResponse } from "./types.ts";

interface CacheRow {
  readonly scenario: string;
  /** The best time of several rounds. */
  readonly nanosecondsPerRequest: number;
  readonly requestsPerSecond: number;
}

const ROUNDS = 5;
const REQUESTS_PER_ROUND = 20_000;
const ENTRIES = 10_000;
const BODY_BYTES = 13 * 1024;

const BROWSER = {
  accept: "text/html,application/xhtml+xml,*/*;q=0.8",
  "accept-encoding": "gzip, deflate, br, zstd",
  "accept-language": "en-US,en;q=0.5",
  "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
};

function options(): HandleOptions {
  const body = new Uint8Array(BODY_BYTES);
  return {
    rule: {
      type: "cache",
      ttlSeconds: 3600,
      swrSeconds: 0,
      vary: [],
      varyNames: { headers: [], cookies: [], query: [] },
      rule: { id: "bench", index: 0 },
    },
    fetchOrigin: () =>
      Promise.resolve({
        status: 200,
        headers: [
          ["content-type", "text/html; charset=utf-8"],
          ["etag", '"0123456789abcdef"'],
          ["vary", "accept-encoding"],
        ],
        body,
      }),
    waitUntil: () => {},
  };
}

type Ask = (index: number) => CachedResponse | Promise<CachedResponse>;

function asker(cache: HttpCache, path: (index: number) => string, headers: HeadersInit): Ask {
  const fields = new Headers(headers);
  const how = options();
  return (index) => {
    const facts = createFacts({
      method: "GET",
      host: "shop.example",
      path: path(index),
      rawQuery: "",
      header: (name) => fields.get(name),
    });
    return cache.handle(new FactsRequest(facts, { deploymentId: "019aa1b2" }), how);
  };
}

async function measure(scenario: string, ask: Ask): Promise<CacheRow> {
  let best = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    const started = performance.now();
    for (let count = 0; count < REQUESTS_PER_ROUND; count++) {
      const answer = ask(round * REQUESTS_PER_ROUND + count);
      if (answer instanceof Promise) await answer;
    }
    best = Math.min(best, performance.now() - started);
  }
  const nanosecondsPerRequest = best * 1e6 / REQUESTS_PER_ROUND;
  return { scenario, nanosecondsPerRequest, requestsPerSecond: 1e9 / nanosecondsPerRequest };
}

/** Measures hits and misses, which takes about two seconds. */
export async function benchHttpCache(): Promise<readonly CacheRow[]> {
  const cache = createHttpCache({ now: Date.now });
  const spread = (index: number) => `/page/${(index * 7_919) % ENTRIES}`;
  const hits = asker(cache, spread, BROWSER);
  for (let index = 0; index < ENTRIES; index++) await hits(index);
  const validated = asker(cache, spread, { ...BROWSER, "if-none-match": '"0123456789abcdef"' });
  const small = createHttpCache({ now: Date.now, capacityBytes: 16 * 1024 * 1024 });
  return [
    await measure("hit, one page", asker(cache, () => "/page/1", BROWSER)),
    await measure(`hit, ${ENTRIES} pages`, hits),
    await measure("hit, 304", validated),
    await measure(
      "miss, stored, another evicted",
      asker(small, (index) => `/new/${index}`, BROWSER),
    ),
  ];
}
