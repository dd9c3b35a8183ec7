/** A site whose server declares which responses to store, with its own clock and store. */
import type { Rule } from "../rules/mod.ts";
import { computeOf, MemoryIsrStore, type TestServer } from "./_test_compute.ts";
import { testEdge, testSite } from "./_test_site.ts";

/** Milliseconds since the epoch. */
export const START = Date.UTC(2026, 0, 1);

interface World {
  readonly store?: MemoryIsrStore;
  readonly rules?: readonly Rule[];
  readonly startAt?: number;
  readonly revalidate?: number;
  readonly fallthrough?: boolean;
}

/** Creates a site whose server handles everything, without rules about caching. */
export function declaredEdge(server: TestServer, world: World = {}) {
  let now = world.startAt ?? START;
  const store = world.store ?? new MemoryIsrStore();
  const compute = computeOf({ server }, { now: () => now, store });
  const { revalidate, fallthrough, rules } = world;
  const { site } = testSite({ "server/main.mjs": "", "fallback.html": "file" }, {
    manifest: {
      version: 1,
      layers: [
        { name: "server", target: "COMPUTE", directory: "server", entry: "server/main.mjs" },
        { name: "files", target: "STATIC", directory: "." },
      ],
      routes: [
        {
          pattern: "^/.*$",
          layer: "server",
          priority: 1,
          ...(revalidate === undefined ? {} : { revalidate }),
          ...(fallthrough === undefined ? {} : { fallthrough }),
        },
        { pattern: "^/.*$", layer: "files" },
      ],
    },
    compute,
    ...(rules === undefined ? {} : { rules }),
  });
  const edge = testEdge(site, { now: () => now });
  /** Waits until background work has finished. */
  const settle = async () => {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setTimeout(resolve, 0));
  };
  /** Returns the cache status and the text after all work has finished. */
  const get = async (path: string, init: RequestInit = {}) => {
    const response = await edge.fetch(path, init);
    const text = await response.text();
    await settle();
    return `${response.headers.get("x-svc-cache")} ${text}`;
  };
  return { ...edge, get, settle, store, compute, wait: (seconds: number) => now += seconds * 1000 };
}

/** Returns a server that numbers its pages and sends the same fields each time. */
export const counting = (headers: HeadersInit, status = 200): TestServer => {
  let count = 0;
  return () => new Response(`page ${++count}`, { status, headers });
};

/** Header fields that let the edge cache a response for a minute. */
export const SHARED = "s-maxage=60";
