/** @module The packages that a server on Node needs. */
import { join, sep } from "node:path";
import { basename, dirname } from "node:path/posix";
import type { ComputeLayer } from "../../manifest/mod.ts";
import type { Trace } from "../../runtime/mod.ts";
import { BuildError } from "../build_error.ts";
import type { OutputContent } from "../hash_files.ts";
import type { Listing } from "../list_files.ts";
import type { BuildHost } from "../types.ts";
import { installedPackages, packageStores } from "./installed_packages.ts";
import { ownPackage } from "./own_package.ts";
import type { PackageFiles } from "./package_folders.ts";
import type { PackageTally } from "./package_tally.ts";
import { type PlacedTrace, placePackages } from "./place_packages.ts";
import { sayUnresolved, withoutProjectFiles } from "./trace_findings.ts";
import type { ServerFacts } from "./types.ts";
import { whyWhole } from "./why_whole.ts";

const slashes = (path: string): string => sep === "/" ? path : path.replaceAll(sep, "/");

const realPath = async (path: string): Promise<string> => slashes(await Deno.realPath(path));

/** Rejects packages in Yarn Plug'n'Play archives, which Node cannot read by itself. */
async function assertUnpacked({ projectRoot, workspaceRoot }: ServerFacts): Promise<void> {
  for (const folder of new Set([projectRoot, workspaceRoot])) {
    const has = async (name: string) =>
      await Deno.stat(join(folder, name)).then(() => true, () => false);
    if (!await has(".pnp.cjs") || await has("node_modules")) continue;
    throw new BuildError(
      "server_invalid",
      "Install the packages into node_modules: Yarn stores them in archives, which a server on " +
        "Node cannot read",
      {
        hint: 'Add "nodeLinker: node-modules" to .yarnrc.yml and run "yarn install"',
      },
    );
  }
}

/**
 * Returns a function that finds the deployed paths of listed files and folders by their real paths.
 */
function deployedPaths({ files }: Listing): (path: string) => string | undefined {
  const paths = new Map<string, string>();
  for (const { absolutePath, path } of files) {
    let [real, deployed] = [slashes(absolutePath), path];
    paths.set(real, deployed);
    do {
      [real, deployed] = [dirname(real), dirname(deployed)];
      if (paths.has(real)) break;
      paths.set(real, deployed);
    } while (deployed !== "." && basename(real) === basename(deployed));
  }
  return (path) => paths.get(path);
}

interface Folders {
  readonly base: string;
  readonly entry: string;
  readonly project: string;
}

async function trace(
  host: BuildHost,
  { base, entry, project }: Folders,
  wanted: { readonly alsoImports: readonly string[]; readonly ownOnly: boolean },
): Promise<Trace> {
  const { traceServer } = await import("../../runtime/mod.ts");
  const found = await traceServer({
    base,
    entry,
    workingFolder: project,
    cacheDir: host.cacheDir,
    ...wanted,
  });
  return {
    files: new Map([...found.files].map(([path, { parents, isImported }]) => [slashes(path), {
      isImported,
      parents: new Set([...parents].map(slashes)),
    }])),
    links: new Map([...found.links].map(([path, target]) => [slashes(path), slashes(target)])),
    imports: found.imports,
    unresolved: found.unresolved.map(({ specifier, importer }) => ({
      specifier,
      importer: slashes(importer),
    })),
  };
}

const NOTHING_TRACED: Trace = {
  files: new Map(),
  links: new Map(),
  imports: new Set(),
  unresolved: [],
};

/**
 * Finds everything that a server could load. Used if the server's code does not show which files it
 * loads.
 */
async function wholePackages(
  folders: Folders,
  own: Pick<Trace, "files" | "links">,
  wanted: { readonly imports: Iterable<string>; readonly everything: boolean },
): Promise<PlacedTrace> {
  const whole = await installedPackages({ ...folders, ...wanted });
  return {
    files: new Map([...own.files, ...whole.files]),
    links: new Map([...own.links, ...whole.links]),
  };
}

/** Returns the package that an import belongs to: `hono` for `hono/jsx`. */
function packageName(specifier: string): string {
  const [first = "", second = ""] = specifier.split("/");
  return first.startsWith("@") ? `${first}/${second}` : first;
}

/**
 * Returns the folder for a server's packages: the server's folder if that contains the entry,
 * otherwise the entry's folder.
 */
function packagesDirectory({ directory, entry }: ComputeLayer): string {
  return directory === "." || entry.startsWith(`${directory}/`) ? directory : dirname(entry);
}

/**
 * Finds and places the packages that a server needs and that are not already in the output: only
 * the imported files if all imports can be analyzed, otherwise whole packages.
 *
 * @throws {BuildError} if packages are in archives, there are too many, or files are missing
 */
export async function serverPackages(
  host: BuildHost,
  layer: ComputeLayer,
  { facts, tally, command, imports }: {
    readonly facts: ServerFacts;
    readonly tally: PackageTally;
    /**
     * The start command that replaces the entry. The command can start any program of any package.
     */
    readonly command: string | undefined;
    /** Imports of a compiled entry. A trace of the entry's source could miss them. */
    readonly imports: readonly string[];
  },
): Promise<PackageFiles> {
  await assertUnpacked(facts);
  const file = facts.listing.files.find(({ path }) => path === layer.entry);
  if (file === undefined) throw new Error(`The output has no entry file ${layer.entry}`);
  const project = await realPath(facts.projectRoot);
  const base = await realPath(facts.workspaceRoot);
  const entry = await realPath(file.absolutePath);
  const folders = { base, project, entry };
  const stores = await packageStores(folders);
  const deployed = deployedPaths(facts.listing);
  const server = { entry: layer.entry, project, deployed };
  const alsoImports = [...new Set([...facts.found?.alsoImports ?? [], ...imports])];
  const whole = command === undefined
    ? await whyWhole(host, layer, { facts, stores, base })
    : "a command starts it";
  const traced = command === undefined
    ? await trace(host, folders, { alsoImports, ownOnly: whole !== undefined })
    : NOTHING_TRACED;
  sayUnresolved(host, traced, server);
  const own = { files: withoutProjectFiles(host, traced, server), links: traced.links };
  const wanted = {
    imports: [...traced.imports, ...alsoImports.map(packageName)],
    everything: command !== undefined || !facts.hasLockFile,
  };
  const needed = whole === undefined ? own : await wholePackages(folders, own, wanted);
  const directory = packagesDirectory(layer);
  const { links, ...placed } = placePackages(needed, { base, directory, deployed, stores });
  const contents: OutputContent[] = [];
  for (const [content, path] of placed.files) {
    // Synchronous, because asynchronous calls take ten times as long for thousands of files.
    const { size } = Deno.statSync(content);
    tally.add(path, size);
    contents.push({ path, content, size });
  }
  if (whole !== undefined && contents.length > 0) {
    host.say("build", "info", `Server ${layer.entry} includes complete packages, because ${whole}`);
  }
  const ownFile = await ownPackage({ project, entry, directory, deployed });
  return { contents: ownFile === undefined ? contents : [...contents, ownFile], links };
}
