/**
 * The handler alone, without sockets: `deno bench -A src/edge/edge_bench.ts`.
 *
 * @module
 */
import { systemRandom } from "../lib/clock.ts";
import type { Rule } from "../rules/mod.ts";
import { noOthers, testSite } from "./_test_site.ts";
import { createEdge, type EdgeHandler } from "./edge.ts";

const PAGE = new Uint8Array(13 * 1024).fill(97);
const CLIENT = { remoteAddress: "192.0.2.1", scheme: "http" } as const;

function redirects(count: number): Rule[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `redirect ${index}`,
    condition: { path: { type: "exact", value: `/from/${index}` } },
    action: { type: "redirect", target: `/to/${index}`, statusCode: 301 },
  }));
}

/** A handler over one site that has a page of 13 KB and, where given, redirects from `/from/<n>`. */
export function benchEdge(options: { readonly redirects: number }): EdgeHandler {
  const { site } = testSite({ "index.html": PAGE }, { rules: redirects(options.redirects) });
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

Deno.bench("new Response() of the same body", { group: "page" }, () => {
  new Response(PAGE, { headers: [["content-type", "text/html; charset=utf-8"]] });
});
