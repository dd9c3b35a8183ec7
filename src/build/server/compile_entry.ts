/**
 * The entry of a server on Node in the form that Node runs.
 *
 * @module
 */
import { dirname, join } from "node:path/posix";
import type { ComputeLayer } from "../../manifest/mod.ts";
import type { OutputContent } from "../hash_files.ts";
import type { BuildHost } from "../types.ts";
import { serverProblems } from "./server_problems.ts";
import type { ServerFacts } from "./types.ts";

/** Name of the compiled module, beside the entry: it finds what the entry finds. */
const COMPILED_FILE = "svc-entry.mjs";

export interface RunnableEntry {
  /** Path in the deployment. */
  readonly entry: string;
  readonly contents: readonly OutputContent[];
  /** What a compiled entry imports of packages; empty for one that is not compiled. */
  readonly imports: readonly string[];
}

/**
 * Compiles an entry of TypeScript or JSX; others stay as they are.
 *
 * @throws {BuildError} with all problems of its code
 */
export async function compileEntry(
  { cacheDir }: BuildHost,
  { entry }: ComputeLayer,
  { listing }: ServerFacts,
): Promise<RunnableEntry> {
  const { compileServerEntry, needsCompiling } = await import("../../runtime/mod.ts");
  const file = listing.files.find(({ path }) => path === entry);
  if (file === undefined || !needsCompiling(entry)) return { entry, contents: [], imports: [] };
  const compiled = await compileServerEntry(await Deno.realPath(file.absolutePath), { cacheDir });
  if (!compiled.ok) throw serverProblems(entry, compiled.problems);
  const { source, imports } = compiled;
  const path = join(dirname(entry), COMPILED_FILE);
  const content = { path, content: source, size: source.byteLength };
  return { entry: path, contents: [content], imports };
}
