/** @module Decides which folders named `node_modules` belong to a server, and which to a site. */
import * as z from "zod";

const layersSchema = z.object({
  layers: z.array(z.unknown()).transform((layers) =>
    layers.flatMap((layer) => layerSchema.safeParse(layer).data ?? [])
  ),
});

const layerSchema = z.object({ target: z.enum(["STATIC", "COMPUTE"]), directory: z.string() });

const normalized = (directory: string): string =>
  directory.replace(/^(?:\.\/)+|^\.$/, "").replace(/\/*$/, "");

/**
 * Returns whether a folder is part of a server rather than of a site. This depends on the innermost
 * layer that contains the folder. If two layers have the same folder, the COMPUTE layer takes
 * precedence.
 */
export function isServerFolder(path: string, manifest: unknown): boolean {
  const { layers } = layersSchema.safeParse(manifest).data ?? { layers: [] };
  const around = layers
    .map(({ target, directory }) => ({ target, directory: normalized(directory) }))
    .filter(({ directory }) => directory === "" || path.startsWith(`${directory}/`));
  const depth = Math.max(-1, ...around.map(({ directory }) => directory.length));
  return around.some(({ target, directory }) => target === "COMPUTE" && directory.length === depth);
}
