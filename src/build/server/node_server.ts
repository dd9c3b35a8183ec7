/** @module Prepares a server for Node: its unchanged files, and the packages that it needs. */
import { join } from "node:path";
import { dirname, join as joinPosix } from "node:path/posix";
import { formatBytes, formatCount } from "../../lib/format.ts";
import type { ComputeLayer } from "../../manifest/mod.ts";
import type { Listing } from "../list_files.ts";
import type { BuildHost } from "../types.ts";
import { editedModules } from "./edit_modules.ts";
import { launchFiles } from "./launch_files.ts";
import { withFittingAddons } from "./native_packages.ts";
import { type PackageFiles, readPackageFolders } from "./package_folders.ts";
import { createPackageTally } from "./package_tally.ts";
import { projectNode } from "./project_node.ts";
import { serverPackages } from "./server_packages.ts";
import { smallInstallation } from "./small_packages.ts";
import type { PreparedServer, ServerFacts } from "./types.ts";
import type { OutputContent } from "../hash_files.ts";
import { serverProblems } from "./server_problems.ts";

/** Name of the compiled module. It is placed next to the entry, so it resolves the same imports. */
const COMPILED_FILE = "svc-entry.mjs";

/** Entries that must be compiled before Node can run them. */
const NEEDS_COMPILING = /\.(?:[cm]?tsx?|jsx)$/;

interface RunnableEntry {
  /** Path in the deployment. */
  readonly entry: string;
  readonly contents: readonly OutputContent[];
  /** Packages that a compiled entry imports. Empty if the entry is not compiled. */
  readonly imports: readonly string[];
}

/**
 * Compiles an entry in TypeScript or JSX, and other modules that its framework lists. Other files
 * do not change.
 *
 * @throws {BuildError} with all problems in the code
 */
async function compileEntry(
  { cacheDir }: BuildHost,
  { entry }: ComputeLayer,
  { listing, found }: ServerFacts,
): Promise<RunnableEntry> {
  const modules = { ...found?.compiles };
  const path = joinPosix(dirname(entry), COMPILED_FILE);
  if (NEEDS_COMPILING.test(entry)) modules[entry] ??= path;
  if (Object.keys(modules).length === 0) return { entry, contents: [], imports: [] };
  const { compileServerEntry } = await import("../../runtime/mod.ts");
  const contents: OutputContent[] = [];
  const imported = new Set<string>();
  for (const [from, to] of Object.entries(modules)) {
    const file = listing.files.find((each) => each.path === from);
    if (file === undefined) continue;
    const compiled = await compileServerEntry(await Deno.realPath(file.absolutePath), { cacheDir });
    if (!compiled.ok) throw serverProblems(from, compiled.problems);
    const { source, imports } = compiled;
    contents.push({ path: to, content: source, size: source.byteLength });
    for (const name of imports) imported.add(name);
  }
  const own = modules[entry];
  const isCompiled = contents.some((content) => content.path === own);
  return { entry: isCompiled ? own! : entry, contents, imports: [...imported] };
}

const NO_PACKAGES: PackageFiles = { contents: [], links: {} };

/** Returns the package folders in the output, except the project's own `node_modules`. */
function chosenPackages({ listing, projectRoot }: ServerFacts): Listing["packages"] {
  return listing.packages.filter(({ absolutePath }) =>
    absolutePath !== join(projectRoot, "node_modules")
  );
}

/**
 * Returns whether the output has packages where the entry looks for them. In that case, its
 * framework chose the packages.
 */
function hasOwnPackages({ entry }: ComputeLayer, packages: Listing["packages"]): boolean {
  return packages.some(({ path }) => {
    const folder = dirname(path);
    return folder === "." || entry.startsWith(`${folder}/`);
  });
}

/** Returns the command that starts the server, or `undefined` to start its entry. */
function startCommand(
  { runtime }: ComputeLayer,
  { found, settings }: ServerFacts,
): string | undefined {
  const written = settings.server?.command ?? runtime?.command;
  if (written !== undefined || found?.script === undefined) return written;
  return found.script === "start" ? "npm start" : `npm run ${found.script}`;
}

const majorOf = (version: string): string => version.replace(/^v/, "").split(".")[0]!;

/** Finds the packages that the server needs at run time. */
async function installedPackages(
  host: BuildHost,
  layer: ComputeLayer,
  { facts, command, imports }: {
    readonly facts: ServerFacts;
    readonly command: string | undefined;
    readonly imports: readonly string[];
  },
) {
  const tally = createPackageTally();
  const packages = chosenPackages(facts);
  // Links between several folders of packages stay links only if the folders are read together.
  const small = packages.length === 0 ? await smallInstallation(facts, layer) : undefined;
  if (small !== undefined) {
    for (const { path, size } of small.contents) tally.add(path, size);
    return { ...small, total: tally.total() };
  }
  const kept = await readPackageFolders({ ...facts.listing, packages }, tally);
  const brought = hasOwnPackages(layer, packages)
    ? NO_PACKAGES
    : await serverPackages(host, layer, { facts, tally, command, imports });
  return {
    contents: [...kept.contents, ...brought.contents],
    links: { ...kept.links, ...brought.links },
    total: tally.total(),
  };
}

/** Adds the files that a server for Node needs. */
export async function nodeServer(
  host: BuildHost,
  layer: ComputeLayer,
  { facts, reason }: { readonly facts: ServerFacts; readonly reason: string },
): Promise<PreparedServer> {
  const { found, settings, listing } = facts;
  const command = startCommand(layer, facts);
  // With a start command, the author's files stay unchanged.
  const around = command === undefined ? found?.launch : undefined;
  const compiled = command === undefined
    ? await compileEntry(host, layer, facts)
    : { entry: layer.entry, contents: [], imports: [] };
  const [{ version: nodeVersion, built }, { contents: packed, links, total }] = await Promise.all([
    projectNode(host, {
      project: facts.projectRoot,
      workspace: facts.workspaceRoot,
      setting: layer.runtime?.nodeVersion ?? settings.nodeVersion,
    }),
    installedPackages(host, layer, { facts, command, imports: compiled.imports }),
  ]);
  const contents = await withFittingAddons(host, packed, {
    built: built === undefined ? undefined : majorOf(built),
    serving: majorOf(nodeVersion),
  });
  const launch = launchFiles(compiled.entry, around);
  const edited = await editedModules(listing.files, layer, around);
  const size = total.files === 0
    ? ""
    : `; ${formatCount(total.count, "package")}, ${formatBytes(total.bytes)}`;
  const told = `Server ${layer.entry} runs on Node ${nodeVersion}: ${reason}${size}`;
  host.say("build", "info", told);
  if (command !== undefined) host.say("build", "info", `Its start command is ${command}`);
  return {
    layer: {
      ...layer,
      entry: launch.entry,
      runtime: {
        ...layer.runtime,
        engine: "node",
        nodeVersion,
        ...(command === undefined ? {} : { command }),
      },
    },
    report: {
      layer: layer.name,
      entry: launch.entry,
      engine: "node",
      nodeVersion,
      reason,
      packages: total,
    },
    contents: [...contents, ...edited, ...compiled.contents, ...launch.contents],
    dropped: new Set(),
    links,
  };
}
