/** @module Finds files that packages open next to their modules; a bundle does not contain them. */
import { join, parse } from "node:path";

/** Matches imports of modules that can open files. */
const OPENS_FILES = /["'](?:node:)?(?:fs|fs\/promises|fs-extra|graceful-fs|module)["']/;

/** Returns whether a module that uses its own location may open files there. */
export const mayOpenFiles = (text: string): boolean => OPENS_FILES.test(text);

/**
 * Matches files that are not data: parts of the bundle itself, and files that are not read at run
 * time.
 */
const NO_DATA = /\.(?:[cm]?jsx?|[cm]?tsx?|map|md|node)$|(?:^|\/)package\.json$/;

/**
 * Lists the absolute paths of files that modules open, if their names can be found in the modules'
 * text.
 *
 * @param files absolute real paths of modules
 */
export async function packageAssets(files: readonly string[]): Promise<readonly string[]> {
  const [first] = files;
  if (first === undefined) return [];
  const { nodeFileTrace } = await import("./tracer.ts");
  const base = parse(first).root;
  // Imports are bundled, so only the given modules are inspected.
  const { reasons } = await nodeFileTrace([...files], { base, depth: 1, mixedModules: true });
  return [...reasons].flatMap(([path, { type }]) =>
    type.includes("asset") && !NO_DATA.test(path) ? [join(base, path)] : []
  );
}
