/**
 * The time that a request takes as rule sets and route tables grow.
 *
 * @module
 */
import { benchRouteTable } from "../../src/manifest/route_table_bench.ts";
import { benchEvaluation } from "../../src/rules/evaluate_bench.ts";
import { formatTable, whole } from "./_table.ts";

/** Maximum time of a request, relative to the smallest set and in nanoseconds. */
const MAX_GROWTH = 1.5;
const MAX_NANOSECONDS = 5000;

/** Measures rule evaluation and returns the report. */
export function benchRules(): string {
  const rows = benchEvaluation().map((row) => {
    const met = row.ratioToSmallest <= MAX_GROWTH && row.nanosecondsPerRequest < MAX_NANOSECONDS;
    return [
      row.scenario,
      whole(row.rules),
      whole(row.nanosecondsPerRequest),
      row.ratioToSmallest.toFixed(2),
      row.compileMilliseconds.toFixed(1),
      `${(row.heapBytes / 1024 / 1024).toFixed(1)}`,
      met ? "met" : "MISSED",
    ];
  });
  const headings = ["scenario", "rules", "ns/request", "growth", "compile ms", "heap MB"];
  return `Evaluation of rules (aim: growth to 10,000 at most ${MAX_GROWTH}, under 5 µs)\n\n` +
    formatTable([...headings, "aim"], rows);
}

/** Measures the route table and returns the report. */
export function benchRoutes(): string {
  const rows = benchRouteTable({ now: () => performance.now() })
    .map(({ routes, nsPerMatch }) => [whole(routes), whole(nsPerMatch)]);
  return `Route table\n\n${formatTable(["routes", "ns/match"], rows)}`;
}
