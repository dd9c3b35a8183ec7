/**
 * @module Runs a project's functions for other platforms in one server, alongside the project's
 * site.
 */
import { dirname, join, relative } from "node:path/posix";
import { functionsLauncher } from "./functions_launcher.ts";
import type { FoundFunction, ProvidedFunctions } from "./functions_types.ts";
import { findNetlifyFunctions } from "./netlify_functions.ts";
import { projectPlacements, readPackage } from "./project_server.ts";
import type {
  BuiltOutput,
  FoundFiles,
  FoundServer,
  Framework,
  Placement,
  ProjectReader,
} from "./types.ts";
import { findVercelFunctions } from "./vercel_functions.ts";

/** Folder in the deployment for a site that consists of the project's own files. */
const SITE = "svc-site";

/** Finds the functions of all providers. Returns `undefined` if a project has none. */
export async function findProjectFunctions(
  project: ProjectReader,
): Promise<ProvidedFunctions | undefined> {
  const provided = [await findVercelFunctions(project), await findNetlifyFunctions(project)]
    .filter((each) => each !== undefined);
  const [first] = provided;
  if (first === undefined) return undefined;
  return {
    ...first,
    functions: provided.flatMap(({ functions }) => functions),
    paths: provided.flatMap(({ paths }) => paths),
    rewrites: provided.flatMap(({ rewrites }) => rewrites),
    notes: provided.flatMap(({ notes }) => notes),
    refused: provided.flatMap(({ refused }) => refused),
  };
}

/** Matches, for example, `import "./lib/a"`, `require("../b")` and `import("./c.js")`. */
const OWN_IMPORT =
  /(?:\brequire\(\s*|\bfrom\s*|\bimport\s*\(?\s*)["'](\.{1,2}\/[^"'\n]{0,256})["']/g;

/** Maximum number of imported modules that are followed. */
const MAX_MODULES = 500;

/** Returns the paths that an import can refer to. In TypeScript, `./a.js` means `a.ts`. */
function pathsOf(file: string): string[] {
  const stem = file.replace(/\.[cm]?js$/, "");
  const types = ["ts", "js", "mjs", "cjs", "mts"];
  return [
    file,
    ...types.map((type) => `${stem}.${type}`),
    ...types.map((type) => `${file}/index.${type}`),
  ];
}

/**
 * Returns the functions' source files with their content: the functions' own files, and their
 * imports from the project.
 */
export async function functionSources(
  reader: Pick<ProjectReader, "readText">,
  { functions }: ProvidedFunctions,
): Promise<ReadonlyMap<string, string>> {
  // A binary file has no imports.
  const read = (path: string) => reader.readText(path).catch(() => "");
  const sources = new Map<string, string>();
  for (const { file } of functions) sources.set(file, await read(file) ?? "");
  for (const [file, text] of sources) {
    for (const [, specifier = ""] of text.matchAll(OWN_IMPORT)) {
      const path = join(dirname(file), specifier);
      if (path.startsWith("..")) continue;
      for (const each of pathsOf(path)) {
        if (sources.has(each) || sources.size >= MAX_MODULES) break;
        const found = await read(each);
        if (found === undefined) continue;
        sources.set(each, found);
        break;
      }
    }
  }
  return sources;
}

/** Matches paths that are never public files of the site, such as the functions' sources. */
const NO_FILE = /^(?:api|netlify)\/|\.(?:[cm]?ts|tsx|jsx)$|^(?:package\.json|README(?:\.md)?)$/i;

/** If a project is served directly as a site, moves its files to a separate folder. */
async function placeSite(
  output: BuiltOutput,
  provided: ProvidedFunctions,
): Promise<readonly Placement[]> {
  const sources = await functionSources(output, provided);
  const isFile = (path: string) => !NO_FILE.test(path) && !sources.has(path);
  const tops = Map.groupBy(output.paths, (path) => path.split("/")[0]!);
  return [...tops].flatMap(([top, paths]) => {
    const files = paths.filter(isFile);
    const placed = files.length === paths.length ? [top] : files;
    return placed.map((from) => ({ from, to: `${SITE}/${from}`, optional: true }));
  });
}

/**
 * Returns the path of the module that Node runs instead of each TypeScript function, by source
 * path.
 */
function compiledModules(functions: readonly FoundFunction[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    functions.filter(({ file }) => /\.[cm]?ts$/.test(file))
      .map(({ file }) => [file, file.replace(/\.[cm]?ts$/, ".svc.mjs")]),
  );
}

interface FunctionsLaunch extends Pick<FoundServer, "entry" | "launch"> {
  readonly compiles: Readonly<Record<string, string>>;
}

/**
 * Creates the launcher that runs a project's functions as one server. Paths are relative to the
 * project.
 */
export function functionsLaunch(
  { functions: written, rewrites }: Pick<ProvidedFunctions, "functions" | "rewrites">,
): FunctionsLaunch {
  const entry = written[0]!.file;
  const compiles = compiledModules(written);
  const functions = written.map((each) => ({ ...each, file: compiles[each.file] ?? each.file }));
  const root = `${relative(dirname(entry), ".")}/`;
  return {
    entry,
    compiles,
    launch: { wrapper: () => functionsLauncher({ functions, rewrites, root }) },
  };
}

/** Serves a project's functions in addition to its files. */
export async function serveFunctions(
  provided: ProvidedFunctions,
  { output, files }: { readonly output: BuiltOutput; readonly files: FoundFiles },
): Promise<FoundServer> {
  const { entry, compiles, launch } = functionsLaunch(provided);
  const folder = files.directory === "."
    ? output.directory
    : join(output.directory, files.directory);
  const isProject = folder === ".";
  const facts = await readPackage(output.project);
  const { paths, rewrites, timeoutMs, memoryMb, notes } = provided;
  const site: readonly Placement[] = isProject
    ? await placeSite(output, provided)
    : [{ from: folder, to: folder }];
  return {
    type: "server",
    compiles,
    launch,
    directory: ".",
    entry,
    clients: [isProject ? SITE : folder],
    placements: [...projectPlacements(entry), ...site],
    alsoImports: facts?.runtimePackages ?? [],
    only: { paths: [...new Set(paths)], withoutFile: rewrites.map(({ pattern }) => pattern) },
    ...(files.fallback === undefined ? {} : {
      fallback: isProject ? join(SITE, files.fallback) : join(output.directory, files.fallback),
    }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(memoryMb === undefined ? {} : { memoryMb }),
    notes: [...files.notes ?? [], ...notes],
  };
}

/** Returns whether the framework was detected only because of the project's functions. */
export const isFunctionProject = (id: string | undefined): boolean =>
  FUNCTION_PROJECTS.some((framework) => framework.id === id);

/** Common output folders of unknown builds. */
const BUILT_FOLDERS = ["dist", "build", "out", "_site"] as const;

/**
 * Creates the framework of a project with functions and possibly files, but without a known build.
 */
function functionsFramework(
  { id, name, config, find }: {
    readonly id: string;
    readonly name: string;
    readonly config: string;
    readonly find: (project: ProjectReader) => Promise<ProvidedFunctions | undefined>;
  },
): Framework {
  return {
    id,
    name,
    packages: [],
    configFiles: [config],
    applies: async ({ reader }) => await find(reader) !== undefined,
    build: undefined,
    dev: undefined,
    outputDirs: ["public", "."],
    inspect: async ({ reader, buildScript }) => {
      const [first] = (await find(reader))?.functions ?? [];
      if (first === undefined) return {};
      return {
        server: `${first.file} is a function`,
        layout: { entry: first.file },
        ...(buildScript === undefined ? {} : { outputDirs: BUILT_FOLDERS }),
      };
    },
  };
}

/** Projects that are recognized only by their functions. */
export const FUNCTION_PROJECTS: readonly Framework[] = [
  functionsFramework({
    id: "vercel-functions",
    name: "Vercel Functions",
    config: "vercel.json",
    find: findVercelFunctions,
  }),
  functionsFramework({
    id: "netlify-functions",
    name: "Netlify Functions",
    config: "netlify.toml",
    find: findNetlifyFunctions,
  }),
];
