/**
 * @module Resolves the routes that match a request, best first (docs/manifest.md). The table is
 * built once per deployment, so no pattern is compiled during a request.
 */
import { catchAllTest, createPatternSet } from "./pattern/pattern_set.ts";
import type { Layer, Manifest, Method, Route } from "./types.ts";

/** A route with its layer and defaults filled in. */
export interface CompiledRoute {
  /** Position in the manifest's `routes`. */
  readonly index: number;
  readonly pattern: string;
  readonly layer: Layer;
  readonly priority: number;
  /** Allowed methods, or `undefined` for all. GET includes HEAD. */
  readonly methods: readonly Method[] | undefined;
  /** Cache time in seconds (ISR). */
  readonly revalidate: number | undefined;
  /** Whether a 404 from the layer continues with the next matching route. */
  readonly fallthrough: boolean;
}

export interface RouteTable {
  /** All routes in resolution order. */
  readonly routes: readonly CompiledRoute[];
  /**
   * Returns the routes that match a request, in resolution order. The list can be empty, and must
   * not be modified. `path` is the normalized URL path, percent-encoded, without the query. The
   * time is linear in the length of the path.
   */
  match(path: string, method: string): readonly CompiledRoute[];
}

const NONE: readonly CompiledRoute[] = Object.freeze([]);

function compileRoute(route: Route, index: number, layers: ReadonlyMap<string, Layer>) {
  const layer = layers.get(route.layer);
  if (layer === undefined) {
    throw new TypeError(`Cannot find the layer "${route.layer}" in routes[${index}]`);
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

/** Sorts routes by descending priority, then by their order in the manifest. */
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

/**
 * Returns a matcher for a single route that matches every path. It needs no engine and allocates
 * nothing.
 */
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
 * @throws {TypeError} if a route names a layer that does not exist
 * @throws {Error} if a pattern does not compile, because the manifest was not validated
 */
export function createRouteTable(manifest: Manifest): RouteTable {
  const routes = Object.freeze(resolutionOrder(manifest));
  const [only] = routes;
  if (only === undefined) return { routes, match: () => NONE };
  const test = routes.length === 1 ? catchAllTest(only.pattern) : undefined;
  return { routes, match: test === undefined ? matchSet(routes) : matchSingle(only, test) };
}
