/** @module Measures only the handler, without sockets: `deno bench -A src/edge/edge_bench.ts`. */
import { systemRandom } from "../lib/clock.ts";
import type { Rule } from "../rules/mod.ts";
import { computeOf } from "./_test_compute.ts";
import { noOthers, testSite } from "./_test_site.ts";
import { createEdge } from "./edge.ts";
import type { EdgeHandler } from "./edge_options.ts";
import type { Header } from "./messages/header_list.ts";
import type { Site } from "./site/site.ts";

const PAGE = new Uint8Array(13 * 1024).fill(97);
const CLIENT = { remoteAddress: "192.0.2.1", scheme: "http" } as const;

function redirects(count: number): Rule[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `redirect ${index}`,
    condition: { path: { type: "exact", value: `/from/${index}` } },
    action: { type: "redirect", target: `/to/${index}`, statusCode: 301 },
  }));
}

/** Returns a handler for one site with a 13 KB page and, if given, redirects from `/from/<n>`. */
export function benchEdge(options: { readonly redirects: number }): EdgeHandler {
  return edgeOf(testSite({ "index.html": PAGE }, { rules: redirects(options.redirects) }).site);
}

function edgeOf(site: Site): EdgeHandler {
  let count = 0;
  return createEdge({
    resolveHost: () => site,
    record: () => {},
    now: () => Date.now(),
    random: systemRandom,
    ...noOthers(),
    requestId: () => `bench-${(count++).toString(36)}`,
  });
}

const request = (path: string) =>
  new Request(`http://site.test${path}`, {
    headers: { host: "site.test", "user-agent": "Mozilla/5.0", "accept-encoding": "gzip, br" },
  });

const page = request("/");
const redirected = request("/from/5");

for (const count of [0, 10, 1000]) {
  const handle = benchEdge({ redirects: count });
  await handle(page, CLIENT);
  Deno.bench(`page of 13 KB, ${count} rules`, { group: "page", baseline: count === 0 }, () => {
    handle(page, CLIENT);
  });
  if (count === 0) continue;
  Deno.bench(`redirect, ${count} rules`, { group: "redirect", baseline: count === 10 }, () => {
    handle(redirected, CLIENT);
  });
}

Deno.bench("new Response() with the same body", { group: "page" }, () => {
  new Response(PAGE, { headers: [["content-type", "text/html; charset=utf-8"]] });
});

const ANSWER: readonly Header[] = [
  ["content-type", "text/html; charset=utf-8"],
  ["cache-control", "no-cache"],
  ["date", "Sun, 22 Nov 2026 12:00:00 GMT"],
  ["x-powered-by", "Bench"],
  ["etag", '"0123456789abcdef"'],
];

/**
 * Returns a handler for one site whose server responds immediately, with the given extra headers.
 */
function serverEdge(own: Header[], route: { readonly revalidate?: number } = {}): EdgeHandler {
  const response = { status: 200, headers: [...ANSWER, ...own], body: null, bytes: PAGE };
  const compute = {
    ...computeOf({}),
    fetch: () => Promise.resolve({ type: "response" as const, response }),
  };
  const { site } = testSite({ "server/main.mjs": "" }, {
    manifest: {
      version: 1,
      layers: [
        { name: "server", target: "COMPUTE", directory: "server", entry: "server/main.mjs" },
      ],
      routes: [{ pattern: "^/.*$", layer: "server", ...route }],
    },
    compute,
  });
  return edgeOf(site);
}

for (
  const [name, handle] of [
    ["revalidate = 0: stores nothing", serverEdge([], { revalidate: 0 })],
    ["its responses have no cache headers", serverEdge([])],
    ["its response is stored", serverEdge([["cdn-cache-control", "max-age=3600"]])],
  ] as const
) {
  await (await handle(page, CLIENT)).bytes();
  await new Promise((resolve) => setTimeout(resolve, 10));
  const baseline = name.startsWith("revalidate");
  Deno.bench(`a server, ${name}`, { group: "server", baseline }, async () => {
    await handle(page, CLIENT);
  });
}
