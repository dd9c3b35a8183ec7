/** @module Imports in Deno's style: names in an import map, and `npm:` packages. */
import type { OnResolveResult, Plugin } from "esbuild";
import { join } from "node:path";

/** The meaning of bare names. A name that ends with `/` applies to all names that start with it. */
export type ImportMap = Readonly<Record<string, string>>;

/** Maps a specifier with an import map. The longest matching name takes precedence. */
export function mapSpecifier(specifier: string, imports: ImportMap): string {
  const exact = imports[specifier];
  if (exact !== undefined) return exact;
  // In Deno, the text after a package's name can name a file in the package.
  const [name] = Object.keys(imports)
    .filter((key) => specifier.startsWith(key.endsWith("/") ? key : `${key}/`))
    .sort((left, right) => right.length - left.length);
  return name === undefined ? specifier : imports[name] + specifier.slice(name.length);
}

const NPM = /^npm:\/?((?:@[^/@]+\/)?[^/@]+)(?:@[^/]+)?(\/.*)?$/;

/** Returns an `npm:` specifier in Node's form, and any other specifier unchanged. */
export function nodeSpecifier(specifier: string): string {
  const [, name, path = ""] = NPM.exec(specifier) ?? [];
  return name === undefined ? specifier : name + path;
}

/** Marks a lookup that this plugin started. */
const OWN = { svc: "import-map" };

/** Resolves the names in an import map, and `npm:` packages, before anything else does. */
export function mapImports(root: string, imports: ImportMap): Plugin {
  return {
    name: "import-map",
    setup(build) {
      build.onResolve({ filter: /^[^./\\]/ }, async (args): Promise<
        OnResolveResult | undefined
      > => {
        const { path, kind, importer, namespace, resolveDir, pluginData } = args;
        if (pluginData === OWN || kind === "entry-point") return undefined;
        const inProject = !importer.includes("node_modules");
        const mapped = inProject ? mapSpecifier(path, imports) : path;
        const found = nodeSpecifier(mapped);
        if (found === path) return undefined;
        const target = found.startsWith(".") ? join(root, found) : found;
        return await build.resolve(target, {
          kind,
          importer,
          namespace,
          resolveDir,
          pluginData: OWN,
        });
      });
    },
  };
}
