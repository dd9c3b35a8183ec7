/** @module Measures the cost of a match with few and many routes, for `deno task bench`. */
import { createRouteTable } from "./route_table.ts";
import type { Route } from "./types.ts";

interface RouteTableBench {
  readonly routes: number;
  /** Number of nanoseconds per match, after compilation and warm-up, for many different paths. */
  readonly nsPerMatch: number;
}

interface BenchOptions {
  /** Returns the time in fractional milliseconds. */
  readonly now: () => number;
  readonly sizes?: readonly number[];
  readonly matches?: number;
}

const SECTIONS = ["blog", "docs", "products", "users", "settings", "about", "team", "press"];

function section(index: number): string {
  return SECTIONS[index % SECTIONS.length]!;
}

/**
 * Returns `count` routes like those that frameworks generate. The last route matches everything.
 */
function routesOf(count: number): Route[] {
  return Array.from({ length: count }, (_, index) => {
    const patterns = [
      `^/${section(index)}/item${index}/([^/]+)(?:/(.*))?$`,
      `^/${section(index)}${index}/v[0-9]+/([0-9]+)/?$`,
      `^/${section(index)}-${index}\\.html$`,
    ];
    const pattern = index === count - 1 ? "^/.*$" : patterns[index % patterns.length]!;
    return { pattern, layer: "files" };
  });
}

/**
 * Returns paths, most of which match one of `count` routes. The remaining paths match only the last
 * route.
 */
function pathsOf(count: number): string[] {
  return Array.from({ length: 4096 }, (_, serial) => {
    const index = (serial * 7919) % count;
    const paths = [
      `/${section(index)}/item${index}/page-${serial}/more`,
      `/${section(index)}${index}/v2/${serial}`,
      `/${section(index)}-${index}.html`,
    ];
    return serial % 8 === 0 ? `/assets/chunk-${serial}.js` : paths[index % paths.length]!;
  });
}

function measure(routes: number, options: BenchOptions): RouteTableBench {
  const table = createRouteTable({
    version: 1,
    layers: [{ name: "files", target: "STATIC", directory: "." }],
    routes: routesOf(routes),
  });
  const paths = pathsOf(routes);
  const matches = options.matches ?? 200_000;
  for (let round = 0; round < 2; round++) {
    for (const path of paths) table.match(path, "GET");
  }
  const started = options.now();
  for (let count = 0; count < matches; count++) table.match(paths[count % 4096]!, "GET");
  return { routes, nsPerMatch: (options.now() - started) * 1e6 / matches };
}

/** Measures matches with 1, 10 and 200 routes, or with the given numbers of routes. */
export function benchRouteTable(options: BenchOptions): RouteTableBench[] {
  return (options.sizes ?? [1, 10, 200]).map((size) => measure(size, options));
}
