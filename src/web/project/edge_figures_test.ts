import assert from "node:assert/strict";
import type { LayerTimes } from "../../contract/traffic.ts";
import { cacheHitRate } from "./edge_figures.tsx";

const times = (layer: LayerTimes["layer"], count: number): LayerTimes => ({
  layer,
  count,
  failures: 0,
  p50: 1,
  p95: 1,
  p99: 1,
});

Deno.test("cacheHitRate() is the cache's share of all cacheable responses", () => {
  assert.equal(cacheHitRate([]), null);
  assert.equal(cacheHitRate([times("static", 90), times("rules", 5)]), null);
  assert.equal(cacheHitRate([times("cache", 3), times("server", 1), times("static", 96)]), 0.75);
  assert.equal(cacheHitRate([times("function", 2), times("proxy", 2)]), 0);
});
