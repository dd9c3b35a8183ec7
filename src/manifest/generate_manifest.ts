/**
 * The manifest that deploy writes for a site of plain files (spec, "For
 * static sites the deploy command generates the manifest automatically").
 *
 * @module
 */
import type { Manifest } from "./types.ts";
import { MANIFEST_VERSION } from "./limits.ts";

export interface GenerateOptions {
  /** What made the site, for the dashboard. */
  readonly framework?: { readonly name: string; readonly version?: string };
}

export const STATIC_LAYER_NAME = "static";

/** Takes every URL path. */
export const CATCH_ALL_PATTERN = "^/.*$";

/** One STATIC layer over the whole output, and a route that takes every path. */
export function generateStaticManifest(options: GenerateOptions = {}): Manifest {
  const { framework } = options;
  return {
    version: MANIFEST_VERSION,
    layers: [{ name: STATIC_LAYER_NAME, target: "STATIC", directory: "." }],
    routes: [{ pattern: CATCH_ALL_PATTERN, layer: STATIC_LAYER_NAME }],
    ...(framework === undefined ? {} : { meta: { framework: { ...framework } } }),
  };
}
