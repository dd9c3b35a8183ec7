import assert from "node:assert/strict";
import { TrafficCounts } from "./traffic_counts.ts";

Deno.test("TrafficCounts keeps each layer's failures, even if older counts are merged", () => {
  const counts = new TrafficCounts();
  counts.addAnswer(500, "function", 1);
  counts.addAnswer(200, "function", 1);
  counts.addAnswer(503, "server", 1);
  const { failed: _, ...older } = counts.encode();
  const merged = TrafficCounts.decode(counts.encode());
  merged.merge(counts.encode());
  merged.merge(older);
  assert.deepEqual(
    [merged.failuresOf("function"), merged.failuresOf("server"), merged.failuresOf("static")],
    [2, 2, 0],
  );
  assert.equal(merged.requests, 9);
});
