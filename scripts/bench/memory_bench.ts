/**
 * The time that the edge's in-memory state takes per request: the cache and the rate-limit
 * counters, without sockets.
 *
 * @module
 */
import { benchHttpCache } from "../../src/edge/cache/http_cache_bench.ts";
import { benchRateLimiter } from "../../src/edge/rate_limit/rate_limiter_bench.ts";
import { formatTable, whole } from "./_table.ts";

/** Measures the cache and returns the report. */
export async function benchCache(): Promise<string> {
  const rows = (await benchHttpCache()).map((row) => [
    row.scenario,
    whole(row.nanosecondsPerRequest),
    whole(row.requestsPerSecond),
  ]);
  return `HTTP cache\n\n${formatTable(["scenario", "ns/request", "requests/s"], rows)}`;
}

/** Measures the counters and returns the report. */
export function benchRateLimits(): string {
  const rows = benchRateLimiter().map((row) => [
    whole(row.clients),
    whole(row.nanosecondsPerNewClient),
    whole(row.nanosecondsPerCheck),
    (row.tableBytes / 1024 / 1024).toFixed(1),
    whole(row.evicted),
  ]);
  const headings = ["clients", "ns/new client", "ns/check", "table MB", "forgotten"];
  return `Rate-limit counters\n\n${formatTable(headings, rows)}`;
}
