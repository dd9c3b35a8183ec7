/** @module A project's servers as layers of its site. */
import type { SiteCompute } from "../../edge/mod.ts";
import type { RunnableFunctions } from "../../build/mod.ts";
import type { Layer, Manifest, Route } from "../../manifest/mod.ts";

const SERVER_LAYER = "server";
const FUNCTIONS_LAYER = "functions";

/** Functions take priority, because a dev server may have a file for any path. */
const PRIORITY = { functions: 1, server: 0 } as const;

const layerOf = (name: string): Layer => ({
  name,
  target: "COMPUTE",
  directory: ".",
  entry: "dev",
});

/**
 * Routes requests for a project whose files are unknown. There are no routes if the project has no
 * server.
 */
export function serverManifest(
  { hasServer, functions }: {
    readonly hasServer: boolean;
    readonly functions: Pick<RunnableFunctions, "paths" | "withoutFile"> | undefined;
  },
): Manifest {
  const patterns = [...functions?.paths ?? [], ...functions?.withoutFile ?? []];
  const routes: Route[] = patterns.map((pattern) => ({
    pattern,
    layer: FUNCTIONS_LAYER,
    priority: PRIORITY.functions,
  }));
  if (hasServer) {
    routes.push({ pattern: "^/.*$", layer: SERVER_LAYER, priority: PRIORITY.server });
  }
  return {
    version: 1,
    layers: [
      ...(functions === undefined ? [] : [layerOf(FUNCTIONS_LAYER)]),
      ...(hasServer ? [layerOf(SERVER_LAYER)] : []),
    ],
    routes,
  };
}

/**
 * Sends each layer's requests to its server. Without a dev server, all requests go to the
 * functions.
 */
export function serversOf(
  server: SiteCompute | undefined,
  functions: SiteCompute | undefined,
): SiteCompute | undefined {
  if (server === undefined || functions === undefined) return server ?? functions;
  const of = (layer: string) => layer === FUNCTIONS_LAYER ? functions : server;
  return {
    pages: server.pages,
    fetch: (layer, request) => of(layer).fetch(layer, request),
    connect: (layer, request) => of(layer).connect(layer, request),
  };
}
