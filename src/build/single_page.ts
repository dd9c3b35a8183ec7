/** @module Finds the page that a site serves for paths without a file. */
import { join } from "node:path/posix";
import * as z from "zod";
import type { ProjectConfig } from "../config/project_config.ts";
import { BuildError } from "./build_error.ts";
import type { BuildHost } from "./types.ts";

const PAGE = "index.html";
const OWN_404 = "404.html";

const manifestSchema = z.looseObject({
  layers: z.array(z.looseObject({
    target: z.string(),
    directory: z.string().optional(),
    fallback: z.string().optional(),
  })),
});
type Layers = z.infer<typeof manifestSchema>["layers"];

interface SinglePageFacts {
  readonly config: Pick<ProjectConfig, "static"> | undefined;
  /** Paths of the deployed files. */
  readonly paths: readonly string[];
  /** Whether the project's framework builds single-page apps. */
  readonly isApp: boolean;
}

function withPages(layers: Layers, paths: readonly string[]): Layers {
  const files = new Set(paths);
  return layers.map((layer) => {
    const page = join(layer.directory ?? ".", PAGE);
    return layer.target === "STATIC" && layer.fallback === undefined && files.has(page)
      ? { ...layer, fallback: page }
      : layer;
  });
}

const withoutPages = (layers: Layers): Layers => layers.map(({ fallback: _, ...layer }) => layer);

/** Reports which page serves unknown paths, or why there is none. */
function report(host: BuildHost, layers: Layers, { config, paths, isApp }: SinglePageFacts): void {
  const page = layers.find(({ fallback }) => fallback !== undefined)?.fallback;
  const isSet = config?.static?.spa !== undefined;
  if (page !== undefined) {
    const how = isSet ? "" : ". To turn this off, set [static] spa = false";
    host.say("build", "info", `Serves ${page.split("/").at(-1)} for unknown paths${how}`);
    return;
  }
  const ownPage = layers.find(({ directory, target }) =>
    target === "STATIC" && paths.includes(join(directory ?? ".", OWN_404))
  );
  if (isSet || !isApp || ownPage === undefined) return;
  const hint = `set [static] spa = true to serve ${PAGE} instead`;
  host.say("build", "info", `Serves ${OWN_404} for unknown paths: ${hint}`);
}

/**
 * Returns the manifest with the single-page settings from `svc.toml`, which override detection. A
 * manifest that is not an object is returned unchanged, because another check rejects it.
 *
 * @throws {BuildError} if there is no page to serve
 */
export function withSinglePage(
  host: BuildHost,
  manifest: unknown,
  facts: SinglePageFacts,
): unknown {
  const fields = manifestSchema.safeParse(manifest).data;
  if (fields === undefined) return manifest;
  const spa = facts.config?.static?.spa;
  const layers = spa === undefined
    ? fields.layers
    : spa
    ? withPages(fields.layers, facts.paths)
    : withoutPages(fields.layers);
  report(host, layers, facts);
  if (spa === undefined) return manifest;
  if (spa && layers.every(({ fallback }) => fallback === undefined)) {
    throw new BuildError("output_invalid", `Cannot find ${PAGE}, which [static] spa needs`, {
      hint: `Change the build to write ${PAGE}, or remove "spa" from [static] in svc.toml`,
    });
  }
  return { ...fields, layers };
}
