/** @module Compiles the TypeScript and JSX of a server that its project does not build. */
import { dirname } from "node:path";
import { type EsbuildOptions, loadEsbuild } from "./load_esbuild.ts";
import { type FunctionProblem, isNodeBuiltin, toProblem } from "./problems.ts";
import { isBuildFailure } from "./seal_function.ts";

/** The oldest Node that servers run on, in esbuild's notation. */
const TARGET = "node18";

/**
 * Defines the names that CommonJS modules expect. A server's own declarations override these
 * definitions.
 */
const BANNER = `import { createRequire as __svcCreateRequire } from "node:module";
import { fileURLToPath as __svcToPath } from "node:url";
var require = __svcCreateRequire(import.meta.url);
var __filename = __svcToPath(import.meta.url);
var __dirname = __svcToPath(new URL(".", import.meta.url)).replace(/[\\\\/]$/, "");`;

type CompiledServer =
  | {
    readonly ok: true;
    readonly source: Uint8Array<ArrayBuffer>;
    /** Package names that the entry imports, such as `hono/jsx`. */
    readonly imports: readonly string[];
  }
  | { readonly ok: false; readonly problems: readonly FunctionProblem[] };

/**
 * Compiles an entry, by its absolute path, with the project's own modules; packages are not
 * included.
 */
export async function compileServerEntry(
  entry: string,
  options: EsbuildOptions,
): Promise<CompiledServer> {
  const esbuild = await loadEsbuild(options);
  try {
    const { outputFiles: [output], metafile } = await esbuild.build({
      absWorkingDir: dirname(entry),
      entryPoints: [entry],
      outfile: `${entry}.compiled.mjs`,
      bundle: true,
      packages: "external",
      write: false,
      metafile: true,
      platform: "node",
      format: "esm",
      target: TARGET,
      charset: "utf8",
      logLevel: "silent",
      sourcemap: "inline",
      sourcesContent: false,
      keepNames: true,
      loader: { ".html": "text", ".txt": "text", ".sql": "text", ".wasm": "binary" },
      banner: { js: BANNER },
    });
    if (output === undefined) throw new Error("esbuild returned no output");
    const imported = Object.values(metafile.outputs).flatMap(({ imports }) => imports);
    const imports = imported.filter(({ path, external }) =>
      external === true && !isNodeBuiltin(path)
    )
      .map(({ path }) => path);
    return { ok: true, source: new Uint8Array(output.contents), imports: [...new Set(imports)] };
  } catch (error) {
    if (!isBuildFailure(error)) throw error;
    return { ok: false, problems: error.errors.map((found) => toProblem(found, entry)) };
  }
}
