/** @module Bundles each of a project's functions into one self-contained module. */
import { join } from "node:path";
import { findFunctions, type FoundFunction } from "./find_functions.ts";
import { type Esbuild, type EsbuildOptions, loadEsbuild } from "./load_esbuild.ts";
import type { FunctionProblem } from "./problems.ts";
import {
  buildFunction,
  REFUSE_BUILTINS,
  type SealedFunction,
  type SealResult,
} from "./seal_function.ts";

type BundleResult =
  | { readonly ok: true; readonly functions: readonly SealedFunction[] }
  | { readonly ok: false; readonly problems: readonly FunctionProblem[] };

function bundleOne(
  esbuild: Esbuild,
  projectDir: string,
  found: FoundFunction,
): Promise<SealResult> {
  return buildFunction(esbuild, {
    absWorkingDir: projectDir,
    entryPoints: [join(projectDir, found.file)],
    // Source paths in the map are relative to this folder: `functions/x.ts`.
    outdir: projectDir,
    sourcesContent: false,
    mainFields: ["browser", "module", "main"],
    conditions: ["worker", "browser"],
    define: { "process.env.NODE_ENV": '"production"' },
    plugins: [REFUSE_BUILTINS],
  }, found);
}

/**
 * Bundles each `functions/<name>.{ts,js}`. Packages come from the project's own `node_modules`.
 * Reports the problems of all functions together. Without functions, esbuild is not loaded.
 */
export async function bundleFunctions(
  projectDir: string,
  options: EsbuildOptions,
): Promise<BundleResult> {
  const { functions, problems } = await findFunctions(projectDir);
  if (problems.length > 0) return { ok: false, problems };
  if (functions.length === 0) return { ok: true, functions: [] };
  const esbuild = await loadEsbuild(options);
  const results = await Promise.all(
    functions.map((found) => bundleOne(esbuild, projectDir, found)),
  );
  const all = results.flatMap((result) => result.ok ? [] : result.problems);
  if (all.length > 0) return { ok: false, problems: all };
  return { ok: true, functions: results.flatMap((result) => result.ok ? [result.function] : []) };
}
