/** @module Checks a route's pattern and layer, and warns about duplicates. */
import { formatPath } from "../lib/diagnostic.ts";
import { describeUnknownLayer } from "./check_layers.ts";
import {
  MAX_NAME_LENGTH,
  MAX_PATTERN_COST,
  MAX_PATTERN_LENGTH,
  MAX_TOTAL_EXCESS_COST,
} from "./limits.ts";
import { judgePattern } from "./pattern/judge_pattern.ts";
import type { ManifestProblem } from "./types.ts";

type Fields = Readonly<Record<string, unknown>>;

function checkLayer(route: Fields, index: number, layers: readonly Fields[]): ManifestProblem[] {
  const name = route.layer;
  if (typeof name !== "string" || name === "" || name.length > MAX_NAME_LENGTH) return [];
  const named = layers.find((layer) => layer.name === name);
  if (named === undefined) {
    const message = describeUnknownLayer(name, layers);
    return [{ path: formatPath(["routes", index, "layer"]), message }];
  }
  if (named.target !== "STATIC" || route.revalidate === undefined) return [];
  return [{
    path: formatPath(["routes", index, "revalidate"]),
    message: `Remove it: only routes to a COMPUTE layer can be revalidated, and ${
      JSON.stringify(name)
    } is STATIC`,
  }];
}

function warnMethods(route: Fields, index: number): ManifestProblem[] {
  if (!Array.isArray(route.methods) || route.methods.length > 32) return [];
  const seen = new Set<unknown>();
  return route.methods.flatMap((method, at) => {
    const repeated = typeof method === "string" && seen.has(method);
    seen.add(method);
    if (!repeated) return [];
    const path = formatPath(["routes", index, "methods", at]);
    return [{ path, message: `Method ${JSON.stringify(method.slice(0, 16))} is listed twice` }];
  });
}

/**
 * Returns a key that is the same for all routes that match exactly the same requests and have the
 * same layer.
 */
function identityOf(route: Fields): string | undefined {
  if (typeof route.pattern !== "string" || typeof route.layer !== "string") return undefined;
  const methods = Array.isArray(route.methods) ? route.methods.slice(0, 16).map(String).sort() : "";
  return JSON.stringify([route.pattern, route.layer, Number(route.priority ?? 0), methods]);
}

function warnRepeats(routes: readonly Fields[]): ManifestProblem[] {
  const first = new Map<string, number>();
  return routes.flatMap((route, index) => {
    const identity = identityOf(route);
    if (identity === undefined) return [];
    const earlier = first.get(identity);
    if (earlier === undefined) {
      first.set(identity, index);
      return [];
    }
    const message =
      `Repeats routes[${earlier}]: remove one of the two, since only the first is used`;
    return [{ path: formatPath(["routes", index]), message }];
  });
}

/** Checks each distinct pattern once, and stops when the total cost is too high. */
function checkPatterns(routes: readonly Fields[]): ManifestProblem[] {
  const problems: ManifestProblem[] = [];
  const judged = new Map<string, readonly string[]>();
  let excess = 0;
  for (const [index, route] of routes.entries()) {
    const pattern = route.pattern;
    if (typeof pattern !== "string" || pattern === "" || pattern.length > MAX_PATTERN_LENGTH) {
      continue;
    }
    if (!judged.has(pattern) && excess <= MAX_TOTAL_EXCESS_COST) {
      const verdict = judgePattern(pattern);
      judged.set(pattern, verdict.messages);
      excess += Math.min(MAX_PATTERN_COST, Math.max(0, verdict.cost - 2 * pattern.length));
    }
    const path = formatPath(["routes", index, "pattern"]);
    for (const message of judged.get(pattern) ?? []) problems.push({ path, message });
  }
  if (excess > MAX_TOTAL_EXCESS_COST) {
    problems.push({
      path: "routes",
      message: `The compiled patterns are too large: expected at most ${MAX_TOTAL_EXCESS_COST} ` +
        `steps in total beyond twice their lengths, found ${excess} or more; ` +
        `use smaller repetition counts`,
    });
  }
  return problems;
}

/** Checks the patterns of routes, and that their layers exist. */
export function checkRoutes(
  routes: readonly Fields[],
  layers: readonly Fields[],
): ManifestProblem[] {
  return [
    ...checkPatterns(routes),
    ...routes.flatMap((route, index) => checkLayer(route, index, layers)),
  ];
}

/** Warns about duplicate routes and methods. Of two duplicate routes, only the first is used. */
export function warnRoutes(routes: readonly Fields[]): ManifestProblem[] {
  return [...routes.flatMap(warnMethods), ...warnRepeats(routes)];
}
