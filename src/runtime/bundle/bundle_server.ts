/** @module Bundles a server into one ES module that imports nothing but Node's own modules. */
import type { BuildResult, Message } from "esbuild";
import { basename, dirname, join } from "node:path";
import { type EsbuildOptions, loadEsbuild } from "./load_esbuild.ts";
import { type ImportMap, mapImports } from "./import_map.ts";
import { fileProblem, type FunctionProblem, toProblem } from "./problems.ts";
import { isBuildFailure } from "./seal_function.ts";
import { COMPUTED_WARNINGS, needsOf, type NodeNeed, openersOf } from "./node_needs.ts";
import { packageAssets } from "./package_assets.ts";
import { type ImportNotes, nativeAtStart, packageOf, sortImports } from "./server_imports.ts";
import {
  type EditModule,
  keepPlaces,
  placedAsset,
  type PlaceNotes,
  SERVER_BANNER,
  type ServerAsset,
} from "./server_modules.ts";

export interface ServerBundleOptions extends EsbuildOptions {
  /** Absolute path of the output directory. */
  readonly root: string;
  /** Path of the entry, relative to the output, with `/`. */
  readonly entry: string;
  /** Source of a module that replaces the entry and imports it as `./<its file name>`. */
  readonly wrapper?: string;
  /** True if the server was built for Node; its checks for Deno are then changed to fail. */
  readonly forNode?: boolean;
  /** Code that runs before any of the server's modules. */
  readonly prelude?: string;
  /** The import map for bare names. */
  readonly imports?: ImportMap;
  /** Module whose functions JSX calls, if no tsconfig.json sets it. */
  readonly jsxImportSource?: string;
  /** Changes the server's modules. */
  readonly edit?: EditModule;
}

export interface ServerBundle {
  /** An ES module with an inline source map. It must be stored instead of the entry. */
  readonly source: Uint8Array<ArrayBuffer>;
  /** Absolute real paths of the files that the module was built from. */
  readonly inputs: ReadonlySet<string>;
  /** Data files of the project's packages, to deploy with the module. */
  readonly assets: readonly ServerAsset[];
  /** Packages with a native addon, which fail when they are first used. */
  readonly native: readonly string[];
  /** Why the server should run on Node itself, apart from its native addons. */
  readonly needs: readonly NodeNeed[];
  /** Packages that may open files next to their modules. */
  readonly openers: readonly string[];
  /** Imports that fail when they are reached, because their package is not installed. */
  readonly missing: readonly string[];
}

export type ServerBundleResult =
  | { readonly ok: true; readonly bundle: ServerBundle }
  | { readonly ok: false; readonly problems: readonly FunctionProblem[] };

/** The oldest Deno that runs servers, in esbuild's notation. */
const TARGET = "deno2.7";

/**
 * Bundles a server's entry with everything that it imports: its own chunks, and packages, resolved
 * as in Node. Modules that ask for their location get the original location, so frameworks find
 * their folders. A native addon that is needed at the start is a problem; an addon that is needed
 * later is only recorded.
 */
export async function bundleServerEntry(options: ServerBundleOptions): Promise<ServerBundleResult> {
  const root = await Deno.realPath(options.root);
  const entry = join(root, options.entry);
  const esbuild = await loadEsbuild(options);
  const notes: ImportNotes = { native: new Map(), missing: new Set() };
  const places: PlaceNotes = {
    computed: new Set(),
    threads: new Set(),
    placed: new Set(),
    openers: [],
  };
  const assets: ServerAsset[] = [];
  const { prelude, wrapper } = options;
  try {
    const result = await esbuild.build({
      absWorkingDir: root,
      ...(wrapper === undefined ? { entryPoints: [entry] } : {
        stdin: {
          contents: wrapper,
          resolveDir: dirname(entry),
          sourcefile: "svc-server.mjs",
          loader: "js",
        },
      }),
      outfile: `${entry}.bundled.mjs`,
      bundle: true,
      write: false,
      metafile: true,
      platform: "node",
      format: "esm",
      target: TARGET,
      charset: "utf8",
      legalComments: "none",
      logLevel: "silent",
      logOverride: COMPUTED_WARNINGS,
      sourcemap: "inline",
      sourcesContent: false,
      define: { "process.env.NODE_ENV": '"production"' },
      ...(options.jsxImportSource === undefined
        ? {}
        : { jsx: "automatic" as const, jsxImportSource: options.jsxImportSource }),
      // A program that a script runs, such as bin/www, may have no extension.
      loader: { "": "js", ".html": "text", ".txt": "text", ".sql": "text", ".wasm": "binary" },
      banner: { js: [SERVER_BANNER, ...prelude === undefined ? [] : [prelude]].join("\n") },
      plugins: [
        mapImports(root, options.imports ?? {}),
        sortImports(notes),
        keepPlaces(esbuild, {
          root,
          entryFolder: dirname(entry),
          forNode: options.forNode === true,
          assets,
          notes: places,
          edit: options.edit,
        }),
      ],
    });
    for (const path of await packageAssets(places.openers)) {
      assets.push(placedAsset(path, { root, entryFolder: dirname(entry) }));
    }
    return finish(result, { root, entry: options.entry, wrapper, notes, places, assets });
  } catch (error) {
    if (!isBuildFailure(error)) throw error;
    return { ok: false, problems: error.errors.map((found) => describe(found, options.entry)) };
  }
}

/** The esbuild helper that creates the exports of fully imported modules. */
const EXPORT_HELPER = "var __export = (target, all) => {";

/**
 * Marks the namespaces of fully imported modules as modules, because frameworks check whether
 * `import()` returned one.
 */
function markNamespaces(text: string): Uint8Array<ArrayBuffer> {
  const marked = text.replace(
    EXPORT_HELPER,
    `${EXPORT_HELPER} __defProp(target, Symbol.toStringTag, { value: "Module" });`,
  );
  return new TextEncoder().encode(marked);
}

interface Facts {
  readonly root: string;
  readonly entry: string;
  readonly wrapper: string | undefined;
  readonly notes: ImportNotes;
  readonly places: PlaceNotes;
  readonly assets: readonly ServerAsset[];
}

function finish(result: BuildResult<{ metafile: true }>, facts: Facts): ServerBundleResult {
  const { root, entry, wrapper, notes, places, assets } = facts;
  const output = result.outputFiles?.[0];
  const { inputs } = result.metafile;
  if (output === undefined) throw new Error("esbuild returned no output");
  const needed = nativeAtStart(inputs, wrapper === undefined ? entry : "svc-server.mjs");
  if (needed.length > 0) return { ok: false, problems: needed.map((name) => refuse(name, entry)) };
  return {
    ok: true,
    bundle: {
      source: markNamespaces(output.text),
      inputs: new Set(Object.keys(inputs).map((path) => join(root, path))),
      assets,
      native: [...notes.native.keys()].sort(),
      needs: needsOf(result, places),
      openers: openersOf(result, places),
      missing: [...notes.missing].sort(),
    },
  };
}

const FROM_NPM = "Install it from npm: add it to package.json, or as npm:<name> to deno.json";

/** Replaces esbuild's advice, which addresses people who configure a bundler. */
function describe(found: Message, entry: string): FunctionProblem {
  const [, specifier] = /^Could not resolve "([^"]+)"/.exec(found.text) ?? [];
  const problem = toProblem(found, entry);
  if (specifier === undefined) {
    return found.text.includes("from an address") ? { ...problem, hint: FROM_NPM } : problem;
  }
  const hint = /^[.#/\\]/.test(specifier)
    ? "Run the build again: a server file is missing"
    : `Install "${packageOf(specifier)}": the server imports it`;
  return { ...problem, code: "import_missing", hint };
}

function refuse(name: string, entry: string): FunctionProblem {
  const problem = fileProblem(
    entry,
    "native_addon",
    `Server ${basename(entry)} loads "${name}" on start, but its native addon does not run in ` +
      "the Deno sandbox",
    'Set build.runtime in svc.toml to "node", or remove it',
  );
  return { ...problem, subject: name };
}
