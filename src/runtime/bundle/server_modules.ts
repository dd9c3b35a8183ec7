/**
 * @module Preserves the paths of a server's modules: even if all modules are bundled into one file,
 * each module finds the files next to it by its original path.
 */
import type { OnLoadResult, Plugin } from "esbuild";
import { dirname, join, relative, sep } from "node:path";
import { mayOwnRequire, ownRequires, requireTable, TABLE_SCHEME } from "./create_require.ts";
import type { Esbuild } from "./load_esbuild.ts";
import { startsThreads } from "./node_needs.ts";
import { mayOpenFiles } from "./package_assets.ts";

/** Changes a module's text, or returns `undefined` for no change. */
export type EditModule = (path: string, text: string) => string | undefined;

/** A file that a package's module opens next to itself, and that is deployed with the package. */
export interface ServerAsset {
  /** Relative to the output, with `/`. */
  readonly path: string;
  readonly absolutePath: string;
}

/**
 * The start of the output file: `require` for packages that are imported by computed names, the
 * base location for {@link PLACE}, and the mode that packages check.
 */
export const SERVER_BANNER = [
  'import { createRequire as __svcCreateRequire } from "node:module";',
  'import { fileURLToPath as __svcToPath } from "node:url";',
  "const require = __svcCreateRequire(import.meta.url);",
  'process.env.NODE_ENV ??= "production";',
  "const __svcAt = (path) => new URL(path, import.meta.url).href;",
].join("\n");

/** Facts about individual modules, collected while they are loaded. */
export interface PlaceNotes {
  /** Modules with a computed `require`, as paths relative to the output, with `/`. */
  readonly computed: Set<string>;
  /** Names of modules that start threads. */
  readonly threads: Set<string>;
  /** Absolute paths of package modules that may open files next to themselves. */
  readonly openers: string[];
  /** Package modules that use their own location, as paths relative to the output, with `/`. */
  readonly placed: Set<string>;
}

const TABLES = "svc-requires";

/** Expressions for a module's location, and their replacements. */
const PLACE: Readonly<Record<string, string>> = {
  "import.meta.url": "__svc_url",
  "import.meta.filename": "__svc_filename",
  "import.meta.dirname": "__svc_dirname",
  "__filename": "__svc_filename",
  "__dirname": "__svc_dirname",
};

const ASKS_FOR_PLACE = /\bimport\.meta\.(?:url|filename|dirname)\b|\b__(?:filename|dirname)\b/;

const ASKS_FOR_PATH = /\brequire\.resolve\b/;

/** Matches module files. A file without an extension is a JavaScript program. */
const MODULE = /(?:\.[cm]?[jt]s|\.[jt]sx|[/\\][^./\\]+)$/;

/**
 * Matches the ways in which modules test for Deno. Some modules that are built for Node do not run
 * on Deno.
 */
const ASKS_FOR_DENO = /(["'])Deno\1 in globalThis\b/g;

/** Names of data files, as modules write them. */
const DATA_FILE = /["'`/]([\w@.-][\w@./-]{0,200}\.(?:wasm|dat|data|bin|ttf|otf|woff2?|pem))["'`]/g;

const inUrl = (path: string) => path.split(sep).map(encodeURIComponent).join("/");

/**
 * Returns a module's path relative to the entry's folder. A module outside the output gets a path
 * below `node_modules` there.
 */
function placeOf(file: string, entryFolder: string, root: string): string {
  if (file.startsWith(root + sep)) return relative(entryFolder, file);
  const packages = `${sep}node_modules${sep}`;
  const at = file.lastIndexOf(packages);
  return join("node_modules", at === -1 ? file : file.slice(at + packages.length));
}

/** Returns a package's data file, deployed where the package's modules expect it. */
export function placedAsset(
  absolutePath: string,
  { entryFolder, root }: { readonly entryFolder: string; readonly root: string },
): ServerAsset {
  const deployed = relative(root, join(entryFolder, placeOf(absolutePath, entryFolder, root)));
  return { path: deployed.split(sep).join("/"), absolutePath };
}

/**
 * Returns code that is placed in front of a module and defines the module's location. It uses
 * `var`, which any module accepts.
 */
function placeBanner(place: string): string {
  return `var __svc_url = __svcAt(${JSON.stringify(inUrl(place))}), ` +
    `__svc_filename = __svcToPath(__svc_url), ` +
    `__svc_dirname = __svcToPath(new URL(".", __svc_url)).replace(/[\\\\/]$/, "");`;
}

/**
 * Replaces the expressions as text, so the types remain for esbuild, which applies tsconfig.json.
 */
function placeTypeScript(text: string, place: string): string {
  const declared = (name: string) => new RegExp(`\\b(?:const|let|var)\\s+${name}\\b`).test(text);
  let placed = text;
  for (const [name, variable] of Object.entries(PLACE)) {
    if (declared(name)) continue;
    placed = placed.replaceAll(new RegExp(`\\b${name.replaceAll(".", "\\.")}\\b`, "g"), variable);
  }
  return `${placeBanner(place)} ${placed}`;
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isFile;
  } catch {
    return false;
  }
}

/** Returns the data files that a module names, if these files exist next to the module. */
async function assetsOf(text: string, file: string): Promise<readonly string[]> {
  const named = [...text.matchAll(DATA_FILE)].map(([, name]) => join(dirname(file), name ?? ""));
  const found = await Promise.all(
    [...new Set(named)].map(async (path) => await isFile(path) ? [path] : []),
  );
  return found.flat();
}

/**
 * Gives each module that asks for its location its original location. The data files that packages
 * reference are deployed with the packages.
 */
export function keepPlaces(
  esbuild: Esbuild,
  where: {
    readonly root: string;
    readonly entryFolder: string;
    /** True for a server that was built for Node. */
    readonly forNode: boolean;
    readonly assets: ServerAsset[];
    readonly notes: PlaceNotes;
    /** A module's new text, by its path relative to the output. */
    readonly edit?: EditModule | undefined;
  },
): Plugin {
  const { root, entryFolder, assets, forNode, notes, edit } = where;
  const tables = new Map<string, readonly string[]>();
  const note = (path: string, text: string): string => {
    const shown = relative(root, path).split(sep).join("/");
    if (startsThreads(text)) notes.threads.add(shown);
    if (ASKS_FOR_PLACE.test(text) || ASKS_FOR_PATH.test(text)) notes.placed.add(shown);
    if (!mayOwnRequire(text)) return text;
    const own = ownRequires(text, path);
    if (own.computed) notes.computed.add(shown);
    if (own.specifiers.length > 0) tables.set(path, own.specifiers);
    return own.text;
  };
  return {
    name: "places",
    setup(build) {
      build.onResolve({ filter: new RegExp(`^${TABLE_SCHEME}`) }, ({ path }) => ({
        path: path.slice(TABLE_SCHEME.length),
        namespace: TABLES,
      }));
      build.onLoad({ filter: /.*/, namespace: TABLES }, ({ path }) => ({
        contents: requireTable(tables.get(path) ?? []),
        resolveDir: dirname(path),
        loader: "js",
      }));
      build.onLoad({ filter: MODULE, namespace: "file" }, async ({ path }): Promise<
        OnLoadResult | undefined
      > => {
        const written = await Deno.readTextFile(path);
        const edited = edit?.(relative(root, path).split(sep).join("/"), written) ?? written;
        const text = note(path, forNode ? edited.replaceAll(ASKS_FOR_DENO, "false") : edited);
        if (!ASKS_FOR_PLACE.test(text)) {
          return text === written || !/\.[cm]?js$/.test(path)
            ? undefined
            : { contents: text, loader: "js" };
        }
        const place = placeOf(path, entryFolder, root);
        const [, type] = /\.[cm]?(tsx?)$/.exec(path) ?? [];
        if (type === "ts" || type === "tsx") {
          return { contents: placeTypeScript(text, place), loader: type };
        }
        if (path.includes(`${sep}node_modules${sep}`)) {
          if (mayOpenFiles(text)) notes.openers.push(path);
          for (const absolutePath of await assetsOf(text, path)) {
            assets.push(placedAsset(absolutePath, { entryFolder, root }));
          }
        }
        const { code } = await esbuild.transform(text, {
          loader: "js",
          target: "esnext",
          define: PLACE,
          banner: placeBanner(place),
          sourcemap: "inline",
          sourcesContent: false,
          sourcefile: path,
          logLevel: "silent",
        });
        return { contents: code, loader: "js" };
      });
    },
  };
}
