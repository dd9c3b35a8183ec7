/**
 * A server for Node itself: its files as they are, with the packages that it needs.
 *
 * @module
 */
import { join } from "node:path";
import { dirname } from "node:path/posix";
import { formatBytes, formatCount } from "../../lib/format.ts";
import type { ComputeLayer } from "../../manifest/mod.ts";
import type { Listing } from "../list_files.ts";
import type { BuildHost } from "../types.ts";
import { compileEntry } from "./compile_entry.ts";
import { editedModules } from "./edit_modules.ts";
import { launchFiles } from "./launch_files.ts";
import { withFittingAddons } from "./native_packages.ts";
import { type PackageFiles, readPackageFolders } from "./package_folders.ts";
import { createPackageTally } from "./package_tally.ts";
import { projectNode } from "./project_node.ts";
import { serverPackages } from "./server_packages.ts";
import type { PreparedServer, ServerFacts } from "./types.ts";

const NO_PACKAGES: PackageFiles = { contents: [], links: {} };

/**
 * The folders of packages that the output has; those of the project itself are its
 * installation, which nobody has chosen from.
 */
function chosenPackages({ listing, projectRoot }: ServerFacts): Listing["packages"] {
  return listing.packages.filter(({ absolutePath }) =>
    absolutePath !== join(projectRoot, "node_modules")
  );
}

/** Whether the output has packages where the entry looks for them: then its framework chose them. */
function hasOwnPackages({ entry }: ComputeLayer, packages: Listing["packages"]): boolean {
  return packages.some(({ path }) => {
    const folder = dirname(path);
    return folder === "." || entry.startsWith(`${folder}/`);
  });
}

const majorOf = (version: string): string => version.replace(/^v/, "").split(".")[0]!;

/** Brings along what a server needs that runs on Node. */
export async function nodeServer(
  host: BuildHost,
  layer: ComputeLayer,
  { facts, reason }: { readonly facts: ServerFacts; readonly reason: string },
): Promise<PreparedServer> {
  const { found, settings, listing } = facts;
  const tally = createPackageTally();
  const packages = chosenPackages(facts);
  const kept = await readPackageFolders({ ...listing, packages }, tally);
  const brought = hasOwnPackages(layer, packages)
    ? NO_PACKAGES
    : await serverPackages(host, layer, { facts, tally });
  const node = await projectNode(host, {
    project: facts.projectRoot,
    workspace: facts.workspaceRoot,
    setting: layer.runtime?.nodeVersion ?? settings.nodeVersion,
  });
  const { version: nodeVersion, built } = node;
  const contents = await withFittingAddons(host, [...kept.contents, ...brought.contents], {
    built: built === undefined ? undefined : majorOf(built),
    serving: majorOf(nodeVersion),
  });
  const compiled = await compileEntry(host, layer, facts);
  const launch = launchFiles(compiled.entry, found?.launch);
  const edited = await editedModules(listing.files, layer, found?.launch);
  const total = tally.total();
  const size = total.files === 0
    ? ""
    : `; ${formatCount(total.count, "package")}, ${formatBytes(total.bytes)}`;
  const told = `Server ${layer.entry} runs on Node ${nodeVersion}: ${reason}${size}`;
  host.say("build", "info", told);
  return {
    layer: {
      ...layer,
      entry: launch.entry,
      runtime: { ...layer.runtime, engine: "node", nodeVersion },
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
    links: { ...kept.links, ...brought.links },
  };
}
