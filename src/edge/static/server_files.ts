/**
 * Which files of a deployment belong to its servers, and are never served as
 * they are: the source of a server is nobody's business, wherever it lies.
 *
 * @module
 */
import type { Layer, StaticLayer } from "../../manifest/mod.ts";

/** True where `path` is `directory` or lies below it; `.` is the output directory. */
function isWithin(path: string, directory: string): boolean {
  return directory === "." || path === directory || path.startsWith(`${directory}/`);
}

/**
 * Returns a test for the files, by their paths in the output, that a STATIC
 * layer must not show: all in the folder of a COMPUTE layer, unless the STATIC
 * layer's own folder lies deeper inside that one, and the entry in any case.
 * `undefined` where nothing is to be hidden.
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
