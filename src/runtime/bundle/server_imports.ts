/**
 * @module Resolves the imports in a server's modules: Node's own modules remain imports, missing
 * packages fail when they are loaded, and native addons are reported.
 */
import type { OnResolveArgs, OnResolveResult, Plugin } from "esbuild";
import { isBuiltin } from "node:module";

/** Packages that contain a native addon, or that run a native program. */
const NATIVE_PACKAGES: ReadonlySet<string> = new Set([
  "sharp",
  "better-sqlite3",
  "sqlite3",
  "canvas",
  "@napi-rs/canvas",
  "bcrypt",
  "argon2",
  "@node-rs/argon2",
  "@node-rs/bcrypt",
  "@resvg/resvg-js",
  "node-sass",
  "re2",
  "libsql",
  "leveldown",
  "duckdb",
  "isolated-vm",
  "puppeteer",
  "playwright-core",
  "esbuild",
  "lightningcss",
  "fsevents",
]);

/** Packages that load the native addon of the package that imports them. */
const ADDON_LOADERS: ReadonlySet<string> = new Set([
  "bindings",
  "node-gyp-build",
  "node-pre-gyp",
  "@mapbox/node-pre-gyp",
  "prebuild-install",
]);

/** URLs that the bundler does not follow and the sandbox does not load. */
const ADDRESS = /^(?:npm|jsr|https?|bun|cloudflare|virtual):/;

const NATIVE = "svc-native";
const MISSING = "svc-missing";

export interface ImportNotes {
  /** Packages with a native addon, each with a module that imports it. */
  readonly native: Map<string, string>;
  /** Missing packages that are needed only by imports that run late. */
  readonly missing: Set<string>;
}

/** Returns the `@scope/name` or `name` of a bare specifier. */
export function packageOf(specifier: string): string {
  const [first = "", second] = specifier.split("/");
  return first.startsWith("@") && second !== undefined ? `${first}/${second}` : first;
}

/** Returns the package that a file belongs to. */
export function packageAt(path: string): string | undefined {
  const rest = path.split(/(?:^|[\\/])node_modules[\\/]/).at(-1);
  return rest === undefined || rest === path ? undefined : packageOf(rest.replaceAll("\\", "/"));
}

/** Imports that can fail without keeping the server from starting. */
const LATE_KINDS: ReadonlySet<string> = new Set([
  "dynamic-import",
  "require-call",
  "require-resolve",
]);

/** Marks a lookup that this plugin started, to avoid handling it again. */
const OWN = { svc: "own" };

/** Sorts a server's imports. Records in `notes` those that its author should know about. */
export function sortImports(notes: ImportNotes): Plugin {
  const native = (name: string, importer: string): OnResolveResult => {
    if (!notes.native.has(name)) notes.native.set(name, importer);
    return { path: name, namespace: NATIVE };
  };
  return {
    name: "imports",
    setup(build) {
      build.onResolve(
        { filter: /\.node$/ },
        ({ path, importer }) => native(packageAt(importer) ?? path, importer),
      );
      build.onResolve({ filter: /^[^./\\]/ }, async (args): Promise<
        OnResolveResult | undefined
      > => {
        const { path, kind, importer, pluginData } = args;
        if (pluginData === OWN || kind === "entry-point" || /^[A-Za-z]:[\\/]/.test(path)) {
          return undefined;
        }
        if (path.startsWith("node:")) return { path, external: true };
        if (isBuiltin(path)) return { path: `node:${path}`, external: true };
        if (NATIVE_PACKAGES.has(packageOf(path))) return native(packageOf(path), importer);
        if (ADDON_LOADERS.has(packageOf(path))) {
          native(packageAt(importer) ?? path, importer);
        }
        return await lookUp(args);
      });
      async function lookUp(args: OnResolveArgs): Promise<OnResolveResult | undefined> {
        const { path, kind, importer, resolveDir, namespace } = args;
        const late = LATE_KINDS.has(kind);
        if (!late && !ADDRESS.test(path)) return undefined;
        if (!ADDRESS.test(path)) {
          const found = await build.resolve(path, {
            kind,
            importer,
            resolveDir,
            namespace,
            pluginData: OWN,
          });
          if (found.errors.length === 0) return { ...found, pluginData: undefined };
        } else if (!late) {
          return { errors: [{ text: `A server cannot import from a URL: "${path}"` }] };
        }
        notes.missing.add(path);
        return { path, namespace: MISSING };
      }
      build.onLoad({ filter: /.*/, namespace: NATIVE }, ({ path }) => ({
        contents: failure(
          `Package "${path}" has a native addon, which a deployment's sandbox cannot load`,
        ),
        loader: "js",
      }));
      build.onLoad({ filter: /.*/, namespace: MISSING }, ({ path }) => ({
        contents: failure(`Cannot find "${path}": it was not installed at build time`, {
          code: "MODULE_NOT_FOUND",
        }),
        loader: "js",
      }));
    },
  };
}

/**
 * Returns the text of a CommonJS module that throws when it is loaded, so callers can catch the
 * error.
 */
function failure(message: string, facts: Readonly<Record<string, string>> = {}): string {
  return `module.exports = {}; throw Object.assign(new Error(${JSON.stringify(message)}), ${
    JSON.stringify(facts)
  });`;
}

/** Returns the native packages that the server loads as soon as it starts. */
export function nativeAtStart(
  inputs: Readonly<Record<string, { readonly imports: readonly { path: string; kind: string }[] }>>,
  entry: string,
): readonly string[] {
  const seen = new Set<string>([entry]);
  const queue = [entry];
  for (let at = 0; at < queue.length; at++) {
    for (const { path, kind } of inputs[queue[at] ?? ""]?.imports ?? []) {
      if (kind !== "import-statement" || seen.has(path)) continue;
      seen.add(path);
      queue.push(path);
    }
  }
  const prefix = `${NATIVE}:`;
  return queue.filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length));
}
