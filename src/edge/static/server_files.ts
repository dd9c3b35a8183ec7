/** @module Files of a deployment's servers, which are never served. */
import type { Layer, StaticLayer } from "../../manifest/mod.ts";

/** Returns whether `path` is `directory` or below it; `.` is the output directory. */
function isWithin(path: string, directory: string): boolean {
  return directory === "." || path === directory || path.startsWith(`${directory}/`);
}

/**
 * Returns a function that reports whether a STATIC layer must not serve a file, given the file's
 * path in the output. The function always hides a server's entry. It also hides all files in the
 * folder of a COMPUTE layer, unless the STATIC layer's own folder is inside that folder. Returns
 * `undefined` if there is nothing to hide.
 */
export function serverFilesTest(
  layers: readonly Layer[],
  shown: StaticLayer,
): ((path: string) => boolean) | undefined {
  const folders: string[] = [];
  const entries = new Set<string>();
  for (const layer of layers) {
    if (layer.target !== "COMPUTE") continue;
    entries.add(layer.entry);
    const isDeeper = shown.directory !== layer.directory &&
      isWithin(shown.directory, layer.directory);
    if (!isDeeper) folders.push(layer.directory);
  }
  if (entries.size === 0) return undefined;
  return (path) => entries.has(path) || folders.some((folder) => isWithin(path, folder));
}
