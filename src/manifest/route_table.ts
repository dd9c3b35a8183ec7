/**
 * @module Resolves routes: the routes that match a request, best first (spec, "States and
 * transitions", terminal routing). Built once per deployment; a request compiles nothing.
 */
import { catchAllTest, createPatternSet } from "./pattern/pattern_set.ts";
import type { Layer, Manifest, Method, Route } from "./types.ts";

/** A route with its layer found and its defaults filled in. */
export interface CompiledRoute {
  /** Position in the manifest's `routes`. */
  readonly index: number;
  readonly pattern: string;
  readonly layer: Layer;
  readonly priority: number;
  /** Allowed methods; all if `undefined`. GET includes HEAD. */
  readonly methods: readonly Method[] | undefined;
  /** Cache time in seconds (ISR). */
  readonly revalidate: number | undefined;
  /** Whether a 404 of the layer continues to the next route of the match. */
  readonly fallthrough: boolean;
}

export interface RouteTable {
  /** All routes in resolution order. */
  readonly routes: readonly CompiledRoute[];
  /**
   * The routes that match a request, in resolution order; empty if none does. `path` is the
   * normalized URL path, percent-encoded, without query. Time is linear in its length. Do not
   * modify the result.
   */
  match(path: string, method: string): readonly CompiledRoute[];
}

const NONE: readonly CompiledRoute[] = Object.freeze([]);

function compileRoute(route: Route, index: number, layers: ReadonlyMap<string, Layer>) {
  const layer = layers.get(route.layer);
  if (layer === undefined) {
    throw new TypeError(`Cannot find the layer "${route.layer}" of routes[${index}]`);
  }
  return {
    index,
    pattern: route.pattern,
    layer,
    priority: route.priority ?? 0,
    methods: route.methods,
    revalidate: route.revalidate,
    fallthrough: route.fallthrough ?? layer.target === "STATIC",
  };
}

/** Highest priority first, then the manifest's order. */
function resolutionOrder(manifest: Manifest): CompiledRoute[] {
  const layers = new Map(manifest.layers.map((layer) => [layer.name, layer]));
  return manifest.routes
    .map((route, index) => compileRoute(route, index, layers))
    .sort((left, right) => right.priority - left.priority || left.index - right.index);
}

function takesMethod(route: CompiledRoute, method: string): boolean {
  const { methods } = route;
  if (methods === undefined) return true;
  return (methods as readonly string[]).includes(method) ||
    (method === "HEAD" && methods.includes("GET"));
}

type Matcher = RouteTable["match"];

/** A single route that matches every path needs no engine and no allocation. */
function matchSingle(route: CompiledRoute, test: (path: string) => boolean): Matcher {
  const found: readonly CompiledRoute[] = Object.freeze([route]);
  if (route.methods === undefined) return (path) => test(path) ? found : NONE;
  return (path, method) => test(path) && takesMethod(route, method) ? found : NONE;
}

function matchSet(routes: readonly CompiledRoute[]): Matcher {
  const set = createPatternSet(routes.map((route) => route.pattern));
  const singles = routes.map((route) => Object.freeze([route]));
  const takesAll = routes.every((route) => route.methods === undefined);
  return (path, method) => {
    const hits = set.match(path);
    if (hits.length === 0) return NONE;
    if (hits.length === 1) {
      const hit = hits[0]!;
      return takesAll || takesMethod(routes[hit]!, method) ? singles[hit]! : NONE;
    }
    const found: CompiledRoute[] = [];
    for (const hit of hits) {
      const route = routes[hit]!;
      if (takesAll || takesMethod(route, method)) found.push(route);
    }
    return found;
  };
}

/**
 * Compiles the routes of a validated manifest.
 *
 * @throws {TypeError} If a route names a layer that does not exist @throws {Error} If a pattern
 * does not compile: the manifest was not validated
 */
export function createRouteTable(manifest: Manifest): RouteTable {
  const routes = Object.freeze(resolutionOrder(manifest));
  const [only] = routes;
  if (only === undefined) return { routes, match: () => NONE };
  const test = routes.length === 1 ? catchAllTest(only.pattern) : undefined;
  return { routes, match: test === undefined ? matchSet(routes) : matchSingle(only, test) };
}
