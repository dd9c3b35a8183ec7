import assert from "node:assert/strict";
import { benchRouteTable } from "./route_table_bench.ts";

Deno.test("benchRouteTable() divides the time by the number of matches", () => {
  let time = 0;
  const results = benchRouteTable({ now: () => (time += 5), matches: 1000, sizes: [1, 3] });
  assert.deepEqual(results, [
    { routes: 1, nsPerMatch: 5000 },
    { routes: 3, nsPerMatch: 5000 },
  ]);
});
