/** @module Finds the folders of a site that have their own page. */
import { join } from "node:path/posix";
import * as z from "zod";

const layersSchema = z.object({
  layers: z.array(z.object({ target: z.string(), directory: z.string().optional() })),
  urls: z.object({ trailingSlash: z.string().optional() }).optional(),
});

const PAGE = "index.html";

/** Decodes a folder's path in a URL. A path with invalid percent-encoding is returned unchanged. */
function fileName(folder: string): string {
  try {
    return decodeURIComponent(folder);
  } catch {
    return folder;
  }
}

/**
 * Returns a function that reports whether the output serves a folder's page at a path such as
 * `/internal`. Returns `undefined` if a server may handle the path.
 */
export function folderPagesOf(
  manifest: unknown,
  paths: readonly string[],
): ((folder: string) => boolean) | undefined {
  const { data } = layersSchema.safeParse(manifest);
  if (data === undefined || data.layers.some(({ target }) => target !== "STATIC")) return undefined;
  // With other settings, the path redirects to the folder.
  if (data.urls?.trailingSlash !== "never") return () => false;
  const files = new Set(paths);
  const directories = data.layers.map(({ directory }) => directory ?? ".");
  return (folder) =>
    directories.some((directory) => files.has(join(directory, fileName(folder), PAGE)));
}
