/** @module Finds the files that a server needs to run on Node without being bundled. */
import { Buffer } from "node:buffer";
import type { NodeFileTraceOptions, NodeFileTraceResult } from "@vercel/nft";
import { dirname, isAbsolute, join, sep } from "node:path";
import { type EsbuildOptions, loadEsbuild } from "./load_esbuild.ts";
import { packageAt } from "./server_imports.ts";

interface TraceOptions extends EsbuildOptions {
  /** Absolute real path of the folder with all packages: the project, or its workspace. */
  readonly base: string;
  /** Absolute real path of the entry. */
  readonly entry: string;
  /** Absolute real path of the folder where the server starts. */
  readonly workingFolder: string;
  /** Packages that the server imports under computed names. */
  readonly alsoImports?: readonly string[];
  /** True to follow only the project's own modules, not the modules of packages. */
  readonly ownOnly?: boolean;
}

interface TracedFile {
  /** Absolute real paths of the files that need this file. */
  readonly parents: ReadonlySet<string>;
  /** False if the file is only opened, or is next to a file that is opened. */
  readonly isImported: boolean;
}

export interface Trace {
  /** Keyed by absolute real path. */
  readonly files: ReadonlyMap<string, TracedFile>;
  /** Symbolic links in the paths of the files, with their real targets. */
  readonly links: ReadonlyMap<string, string>;
  /** Names of the packages that were not followed. */
  readonly imports: ReadonlySet<string>;
  /** Unresolved imports: the specifier, and the absolute path of the importer. */
  readonly unresolved: readonly { readonly specifier: string; readonly importer: string }[];
}

/** Files that servers do not need: caches, shell programs, types, and source maps. */
const LEFT_OUT =
  /(?:^|\/)node_modules\/\.(?:bin|cache|vite|package-lock\.json)(?:\/|$)|\.d\.[cm]?ts$|\.map$/;

const TYPESCRIPT = /\.[cm]?ts$/;

/** Returns JavaScript for the tracer, which cannot read TypeScript. */
async function withoutTypes(path: string, options: EsbuildOptions): Promise<Uint8Array | null> {
  const bytes = await readBytes(path);
  if (bytes === null) return null;
  const esbuild = await loadEsbuild(options);
  const made = await esbuild.transform(bytes, { loader: "ts", logLevel: "silent" })
    .catch(() => undefined);
  return made === undefined ? null : new TextEncoder().encode(made.code);
}

async function readBytes(path: string): Promise<Uint8Array | null> {
  return await Deno.readFile(path).catch(() => null);
}

/** Lists the files that a server on Node needs, in the base folder and not above it. */
export async function traceServer(options: TraceOptions): Promise<Trace> {
  const { base, entry, workingFolder, alsoImports = [], ownOnly } = options;
  const added = alsoImports.map((name) => `\nimport(${JSON.stringify(name)});`).join("");
  const { nodeFileTrace } = await import("./tracer.ts");
  const imports = new Set<string>();
  const settings: NodeFileTraceOptions = {
    base,
    processCwd: workingFolder,
    // Different versions of Node use different entries of a package.
    moduleSyncCatchall: true,
    mixedModules: true,
    ignore: (path) => {
      const clean = path.replaceAll(sep, "/");
      if (LEFT_OUT.test(clean)) return true;
      const name = ownOnly === true ? packageAt(clean) : undefined;
      if (name !== undefined) imports.add(name);
      return name !== undefined;
    },
    readFile: async (path) => {
      const bytes = TYPESCRIPT.test(path)
        ? await withoutTypes(path, options)
        : await readBytes(path);
      if (bytes === null) return null;
      return path === entry && added !== ""
        ? Buffer.concat([Buffer.from(bytes), Buffer.from(added)])
        : Buffer.from(bytes);
    },
  };
  const first = await nodeFileTrace([entry], settings);
  const hidden = await hiddenModules(base, first);
  const { fileList, reasons, warnings } = hidden.length === 0
    ? first
    : await nodeFileTrace([entry, ...hidden], settings);
  const files = new Map<string, TracedFile>();
  const links = new Map<string, string>();
  for (const path of fileList) {
    const absolute = join(base, path);
    const info = await Deno.lstat(absolute).catch(() => undefined);
    if (info?.isSymlink === true) {
      links.set(absolute, await Deno.realPath(absolute));
    } else if (info?.isFile === true) {
      const reason = reasons.get(path);
      const parents = [...reason?.parents ?? []].map((parent) => join(base, parent));
      const isImported = reason?.type.some((type) => type === "initial" || type === "dependency");
      files.set(absolute, { parents: new Set(parents), isImported: isImported === true });
    }
  }
  const unresolved = unresolvedOf([...warnings].map(({ message }) => message))
    .filter(({ specifier, importer }) => importer !== entry || !alsoImports.includes(specifier));
  return { files, links, imports, unresolved };
}

/** A package that passes modules its own `require`, which no tracer can analyze. */
const HIDES_REQUIRES = /(?:^|\/)node_modules\/amdefine\/amdefine\.js$/;

/** Returns all modules in folders whose modules require each other in a hidden way. */
async function hiddenModules(base: string, { reasons }: NodeFileTraceResult): Promise<string[]> {
  const users = [...reasons].filter(([path]) => HIDES_REQUIRES.test(path.replaceAll(sep, "/")))
    .flatMap(([, { parents }]) => [...parents]);
  const folders = new Set(users.map((path) => dirname(join(base, path))));
  const found = await Promise.all([...folders].map(async (folder) => {
    const names = await Array.fromAsync(Deno.readDir(folder));
    return names.filter(({ name, isFile }) => isFile && name.endsWith(".js"))
      .map(({ name }) => join(folder, name));
  }));
  return found.flat();
}

function unresolvedOf(messages: readonly string[]): Trace["unresolved"] {
  return messages.flatMap((message) => {
    const [, specifier, importer] = /^Failed to resolve dependency "([^"]+)":\n.* loaded from (.+)$/
      .exec(message) ?? [];
    if (specifier === undefined || importer === undefined || !isAbsolute(importer)) return [];
    return [{ specifier, importer }];
  });
}
