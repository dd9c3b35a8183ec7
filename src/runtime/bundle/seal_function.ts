/**
 * @module Seals functions: any bundle becomes a module without imports. The platform seals received
 * functions, because a worker without permissions can still load Node's own modules and, in a
 * compiled program, files.
 */
import type { BuildFailure, BuildOptions, Plugin } from "esbuild";
import { sha256Hex } from "../../lib/hash.ts";
import { MAX_BUNDLE_BYTES } from "./limits.ts";
import { type Esbuild, type EsbuildOptions, loadEsbuild } from "./load_esbuild.ts";
import { fileProblem, type FunctionProblem, isNodeBuiltin, toProblem } from "./problems.ts";

export interface SealedFunction {
  readonly name: string;
  /** A self-contained ES module with an inline source map. */
  readonly source: Uint8Array<ArrayBuffer>;
  /** SHA-256 of the source, in lowercase hexadecimal. */
  readonly sha256: string;
}

export type SealResult =
  | { readonly ok: true; readonly function: SealedFunction }
  | { readonly ok: false; readonly problems: readonly FunctionProblem[] };

/**
 * The options for both bundling and sealing. An `import()` of an unknown module becomes a call that
 * throws. esbuild makes this change in the syntax tree, so every spelling is covered.
 */
const BUILD_OPTIONS = {
  bundle: true,
  format: "esm",
  platform: "neutral",
  target: "esnext",
  supported: { "dynamic-import": false, "import-meta": false },
  sourcemap: "inline",
  write: false,
  metafile: true,
  logLevel: "silent",
  charset: "utf8",
  legalComments: "none",
} as const satisfies BuildOptions;

/**
 * Matches source map comments that name a file, which esbuild would read from this machine's disk.
 */
const FILE_MAP = /sourceMappingURL=(?!data:)/g;

/** Passes esbuild the source from memory and rejects every other import. */
function received(file: string, source: string): Plugin {
  return {
    name: "sealed",
    setup(build) {
      build.onResolve(
        { filter: /.*/ },
        ({ kind, path }) =>
          kind === "entry-point" ? { path: file, namespace: "received" } : {
            errors: [{
              text: `A published function cannot import modules, but this one imports "${path}"`,
            }],
          },
      );
      build.onLoad({ filter: /.*/, namespace: "received" }, () => ({
        contents: source.replace(FILE_MAP, "sourceMappingUrl="),
        loader: "js",
      }));
    },
  };
}

export function isBuildFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && "errors" in error && Array.isArray(error.errors);
}

/** Builds a function and checks the output. */
export async function buildFunction(
  esbuild: Esbuild,
  options: BuildOptions,
  about: { readonly name: string; readonly file: string },
): Promise<SealResult> {
  try {
    const { outputFiles, metafile } = await esbuild.build({ ...BUILD_OPTIONS, ...options });
    const source = outputFiles?.[0]?.contents as Uint8Array<ArrayBuffer> | undefined;
    const output = Object.values(metafile?.outputs ?? {})[0];
    if (source === undefined || output === undefined) throw new Error("esbuild returned no output");
    const problems: FunctionProblem[] = [];
    if (!output.exports.includes("default")) {
      problems.push(fileProblem(
        about.file,
        "missing_default_export",
        `Function "${about.name}" must have a default export, but has none`,
        "Write: export default function (request, context) { … }",
      ));
    }
    if (output.imports.length > 0) {
      const paths = output.imports.map(({ path }) => path).join(", ");
      problems.push(
        fileProblem(about.file, "import_refused", `The bundle still contains imports: ${paths}`),
      );
    }
    if (source.byteLength > MAX_BUNDLE_BYTES) {
      const message = `Function "${about.name}" must be at most ${MAX_BUNDLE_BYTES} bytes ` +
        `including its imports: it has ${source.byteLength}`;
      problems.push(fileProblem(about.file, "too_large", message));
    }
    if (problems.length > 0) return { ok: false, problems };
    return { ok: true, function: { name: about.name, source, sha256: sha256Hex(source) } };
  } catch (error) {
    if (!isBuildFailure(error)) throw error;
    return { ok: false, problems: error.errors.map((message) => toProblem(message, about.file)) };
  }
}

/**
 * Seals a function's received bundle. The result has different bytes, but its source map still
 * points to the author's files.
 */
export async function sealFunction(
  name: string,
  source: string,
  options: EsbuildOptions,
): Promise<SealResult> {
  const file = `functions/${name}.js`;
  if (source.length > MAX_BUNDLE_BYTES) {
    const message = `Function "${name}" must be at most ${MAX_BUNDLE_BYTES} bytes`;
    return { ok: false, problems: [fileProblem(file, "too_large", message)] };
  }
  return await buildFunction(await loadEsbuild(options), {
    entryPoints: [file],
    outdir: "/",
    plugins: [received(file, source)],
    sourcesContent: false,
  }, { name, file });
}

/** Rejects imports of Node's own modules, and imports from URLs. */
export const REFUSE_BUILTINS: Plugin = {
  name: "functions",
  setup(build) {
    build.onResolve({ filter: /.*/ }, ({ path, kind }) => {
      if (kind === "entry-point") return undefined;
      if (isNodeBuiltin(path)) {
        return {
          errors: [{
            text: `A function cannot import the Node module "${path}"`,
            notes: [{ text: "Functions can use only web APIs such as fetch, crypto and streams" }],
          }],
        };
      }
      if (!/^(?:[a-z]{2,}:)/i.test(path)) return undefined;
      const advice = /^(?:npm|jsr):/.test(path)
        ? `Install the package and import "${path.replace(/^(?:npm|jsr):/, "")}"`
        : "Copy the module into the project, or install its package";
      return {
        errors: [{
          text: `A function cannot import from a URL: "${path}"`,
          notes: [{ text: advice }],
        }],
      };
    });
  },
};
