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
  /** Packages that a compiled entry imports; empty if it is not compiled. */
  readonly imports: readonly string[];
}

/**
 * Compiles an entry of TypeScript or JSX, and the modules beside it that its framework names;
 * others stay as they are.
 *
 * @throws {BuildError} with all problems of its code
 */
export async function compileEntry(
  { cacheDir }: BuildHost,
  { entry }: ComputeLayer,
  { listing, found }: ServerFacts,
): Promise<RunnableEntry> {
  const { compileServerEntry, needsCompiling } = await import("../../runtime/mod.ts");
  const modules = { ...found?.compiles };
  const path = join(dirname(entry), COMPILED_FILE);
  if (needsCompiling(entry)) modules[entry] ??= path;
  const contents: OutputContent[] = [];
  const imported = new Set<string>();
  for (const [from, to] of Object.entries(modules)) {
    const file = listing.files.find((each) => each.path === from);
    if (file === undefined) continue;
    const compiled = await compileServerEntry(await Deno.realPath(file.absolutePath), { cacheDir });
    if (!compiled.ok) throw serverProblems(from, compiled.problems);
    const { source, imports } = compiled;
    contents.push({ path: to, content: source, size: source.byteLength });
    for (const name of imports) imported.add(name);
  }
  const own = modules[entry];
  const isCompiled = contents.some((content) => content.path === own);
  return { entry: isCompiled ? own! : entry, contents, imports: [...imported] };
}
