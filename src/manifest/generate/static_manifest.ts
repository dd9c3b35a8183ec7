/** @module Generates the manifest for a site that consists of plain files. */
import { MANIFEST_VERSION } from "../limits.ts";
import type { Manifest } from "../types.ts";

interface GenerateOptions {
  /** The program that built the site, for the dashboard. */
  readonly framework?: { readonly name: string; readonly version?: string };
  /** Folder of the files, relative to the output. Defaults to the whole output. */
  readonly directory?: string;
  /** Page to serve if a document has no file, relative to the output. */
  readonly fallback?: string;
}

/** Returns the framework and version for a manifest's `meta`. */
export function metaOf({ framework }: GenerateOptions): Pick<Manifest, "meta"> {
  if (framework === undefined) return {};
  const { name, version } = framework;
  return { meta: { framework: version === undefined ? { name } : { name, version } } };
}

const STATIC_LAYER_NAME = "static";

/** A pattern that matches every URL path. */
export const CATCH_ALL_PATTERN = "^/.*$";

/** Generates one STATIC layer for the whole output, and a route that matches every path. */
export function generateStaticManifest(options: GenerateOptions = {}): Manifest {
  const { directory = ".", fallback } = options;
  return {
    version: MANIFEST_VERSION,
    layers: [{
      name: STATIC_LAYER_NAME,
      target: "STATIC",
      directory,
      ...(fallback === undefined ? {} : { fallback }),
    }],
    routes: [{ pattern: CATCH_ALL_PATTERN, layer: STATIC_LAYER_NAME }],
    ...metaOf(options),
  };
}
