/** @module Bundles the module that Node loads before a server's code. */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeFileAtomically } from "../../lib/atomic_file.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { loadEsbuild } from "../bundle/load_esbuild.ts";

/** esbuild's options for bundling the module. */
export const PRELOAD_BUNDLE = {
  bundle: true,
  minify: true,
  format: "cjs",
  platform: "node",
  target: "node18",
} as const;

/** Path of the module in the source. */
export const PRELOAD_SOURCE = fileURLToPath(new URL("./preload/preload_main.ts", import.meta.url));

/**
 * Bundles the module when the program runs from source and writes it to a folder.
 *
 * @returns the path of the file
 */
export async function bundlePreload(folder: string): Promise<string> {
  const { buildSync } = await loadEsbuild({ cacheDir: folder });
  const { outputFiles: [file] } = buildSync({
    ...PRELOAD_BUNDLE,
    absWorkingDir: dirname(PRELOAD_SOURCE),
    entryPoints: [PRELOAD_SOURCE],
    write: false,
    logLevel: "warning",
  });
  const path = join(folder, `node_preload-${sha256Hex(file!.contents).slice(0, 16)}.cjs`);
  await writeFileAtomically(path, file!.contents);
  return path;
}
