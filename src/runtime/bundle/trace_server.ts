/**
 * Finds the files that a server needs on Node without bundling: its modules' imports, and files
 * that they open under a name in their text.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import type { NodeFileTraceOptions, NodeFileTraceResult } from "@vercel/nft";
import { dirname, isAbsolute, join, sep } from "node:path";
import { type EsbuildOptions, loadEsbuild } from "./load_esbuild.ts";
import { packageAt } from "./server_imports.ts";

export interface TraceOptions extends EsbuildOptions {
  /** Absolute real path of the folder that holds all packages: the project's, or its workspace's. */
  readonly base: string;
  /** Absolute real path of the entry. */
  readonly entry: string;
  /** Absolute real path of the folder that the server is started in. */
  readonly workingFolder: string;
  /** Packages that the server imports by names that it computes. */
  readonly alsoImports?: readonly string[];
  /** True to follow the project's own modules only, and none of packages. */
  readonly ownOnly?: boolean;
}

export interface TracedFile {
  /** Absolute real paths of the files that need it. */
  readonly parents: ReadonlySet<string>;
  /** False if it is only opened, or next to a file that is. */
  readonly isImported: boolean;
}

export interface Trace {
  /** By absolute real path. */
  readonly files: ReadonlyMap<string, TracedFile>;
  /** Symbolic links on the way to them, with the real paths that they lead to. */
  readonly links: ReadonlyMap<string, string>;
  /** Names of the packages that were not followed. */
  readonly imports: ReadonlySet<string>;
  /** Imports that lead nowhere: what is imported, and the absolute path of the importer. */
  readonly unresolved: readonly { readonly specifier: string; readonly importer: string }[];
}

/** Files that servers do not need: caches, shell programs, types, and source maps. */
const LEFT_OUT =
  /(?:^|\/)node_modules\/\.(?:bin|cache|vite|package-lock\.json)(?:\/|$)|\.d\.[cm]?ts$|\.map$/;

const TYPESCRIPT = /\.[cm]?ts$/;

/** Text that is read by the tracer instead of a module that it cannot read. */
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

/** Lists the files that a server on Node needs, of the base folder and of nothing above it. */
export async function traceServer(options: TraceOptions): Promise<Trace> {
  const { base, entry, workingFolder, alsoImports = [], ownOnly } = options;
  const added = alsoImports.map((name) => `\nimport(${JSON.stringify(name)});`).join("");
  const { nodeFileTrace } = await import("./tracer.ts");
  const imports = new Set<string>();
  const settings: NodeFileTraceOptions = {
    base,
    processCwd: workingFolder,
    // Node takes both, and which one depends on its version.
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

/** Gives modules its own `require`, which no tracer sees through. */
const HIDES_REQUIRES = /(?:^|\/)node_modules\/amdefine\/amdefine\.js$/;

/** All modules of the packages whose modules require one another in a way that hides it. */
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
