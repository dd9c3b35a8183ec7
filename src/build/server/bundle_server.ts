/** @module Bundles a server into one module for the Deno sandbox. */
import { basename, dirname, sep } from "node:path";
import { join } from "node:path/posix";
import * as z from "zod";
import { readTextFile } from "../../lib/utf8.ts";
import type { ComputeLayer, Manifest, OutputFile } from "../../manifest/mod.ts";
import type { ServerBundleResult } from "../../runtime/mod.ts";
import type { BuildHost } from "../types.ts";
import { createPackageTally } from "./package_tally.ts";
import { editOf } from "./edit_modules.ts";
import { serverProblems } from "./server_problems.ts";
import type { PreparedServer, ServerFacts } from "./types.ts";

/** The extension of source maps, which are read only on developers' machines. */
const SOURCE_MAP = /\.[cm]?js\.map$/;

/** The real folder and path of a layer's entry, and where that folder is deployed. */
interface EntryPlace {
  readonly root: string;
  readonly entry: string;
  /**
   * Prefix of the folder's paths in the deployment. Empty if the folder is the deployment itself.
   */
  readonly prefix: string;
}

/**
 * Finds the real folder that is deployed as the root. If the entry's path does not show it, returns
 * the entry's own folder.
 */
async function entryPlace(entry: string, files: readonly OutputFile[]): Promise<EntryPlace> {
  const file = files.find(({ path }) => path === entry);
  if (file === undefined) throw new Error(`The output has no entry file ${entry}`);
  const real = await Deno.realPath(file.absolutePath);
  const tail = sep + entry.split("/").join(sep);
  if (real.endsWith(tail)) return { root: real.slice(0, -tail.length), entry, prefix: "" };
  const slash = entry.lastIndexOf("/");
  return { root: dirname(real), entry: basename(real), prefix: entry.slice(0, slash + 1) };
}

/** Bundles a layer's entry, and returns any problems for the caller to handle. */
export async function bundleLayer(
  host: BuildHost,
  layer: ComputeLayer,
  { listing, found }: ServerFacts,
): Promise<LayerBundle> {
  const { bundleServerEntry } = await import("../../runtime/mod.ts");
  const place = await entryPlace(layer.entry, listing.files);
  const { prelude, wrapper, forDeno, imports, jsxImportSource } = found?.launch ?? {};
  const edit = editOf(found?.launch);
  const result = await bundleServerEntry({
    root: place.root,
    entry: place.entry,
    cacheDir: host.cacheDir,
    forNode: found !== undefined && forDeno !== true,
    imports,
    jsxImportSource,
    prelude,
    ...(wrapper === undefined ? {} : { wrapper: wrapper(basename(place.entry)) }),
    edit,
  });
  return { result, prefix: place.prefix };
}

interface LayerBundle {
  readonly result: ServerBundleResult;
  /** Prefix of the bundle's paths in the deployment: a folder with a trailing slash, or empty. */
  readonly prefix: string;
}

/**
 * Replaces the entry of a server with its bundle. Bundled files are left out, unless a STATIC layer
 * has them.
 *
 * @throws {BuildError} If bundling failed, with all problems
 */
export async function denoServer(
  layer: ComputeLayer,
  made: LayerBundle,
  { facts: { listing, manifest }, reason }: {
    readonly facts: ServerFacts;
    readonly reason: string;
  },
): Promise<PreparedServer> {
  if (!made.result.ok) throw serverProblems(layer.entry, made.result.problems);
  const { source, inputs, assets } = made.result.bundle;
  const dropped = listing.files.filter(({ path, absolutePath }) =>
    (inputs.has(absolutePath) || SOURCE_MAP.test(path)) && isServerOnly(path, layer, manifest)
  );
  const tally = createPackageTally();
  const brought = await Promise.all(assets.map(async ({ path, absolutePath }) => {
    const { size } = await Deno.stat(absolutePath);
    tally.add(path, size);
    return { path: made.prefix + path, content: absolutePath, size };
  }));
  const entry = await moduleName(layer.entry, listing.files);
  return {
    layer: { ...layer, entry },
    report: { layer: layer.name, entry, engine: "deno", reason },
    contents: [...brought, { path: entry, content: source, size: source.byteLength }],
    dropped: new Set(dropped.map(({ path }) => path)),
    links: {},
  };
}

const packageSchema = z.object({ type: z.string() });

/** Returns whether the nearest deployed package.json makes `.js` files CommonJS. */
async function isCommonJs(entry: string, files: readonly OutputFile[]): Promise<boolean> {
  for (let folder = dirname(entry);; folder = dirname(folder)) {
    const path = join(folder, "package.json");
    const file = files.find((each) => each.path === path);
    if (file !== undefined) {
      const text = await readTextFile(file.absolutePath);
      return readType(text) === "commonjs";
    }
    if (folder === ".") return false;
  }
}

function readType(text: string): string | undefined {
  try {
    return packageSchema.safeParse(JSON.parse(text)).data?.type;
  } catch {
    return undefined;
  }
}

/**
 * Returns the name of the bundle that replaces an entry. The extension makes the bundle an ES
 * module.
 */
async function moduleName(entry: string, files: readonly OutputFile[]): Promise<string> {
  if (entry.endsWith(".mjs")) return entry;
  if (entry.endsWith(".js") && !await isCommonJs(entry, files)) return entry;
  return `${entry.replace(/\.[cm]?[jt]sx?$/, "")}.mjs`;
}

const isInside = (path: string, directory: string) =>
  directory === "." || path.startsWith(`${directory}/`);

function isServerOnly(path: string, layer: ComputeLayer, { layers }: Manifest): boolean {
  return isInside(path, layer.directory) &&
    !layers.some(({ target, directory }) => target === "STATIC" && isInside(path, directory));
}
