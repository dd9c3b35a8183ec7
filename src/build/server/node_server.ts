/**
 * A server for Node itself: its files as they are, with the packages that it needs.
 *
 * @module
 */
import { dirname } from "node:path/posix";
import { formatBytes, formatCount } from "../../lib/format.ts";
import type { ComputeLayer } from "../../manifest/mod.ts";
import type { BuildHost } from "../types.ts";
import { USUAL_NODE } from "./choose_node_version.ts";
import { compileEntry } from "./compile_entry.ts";
import { editedModules } from "./edit_modules.ts";
import { launchFiles } from "./launch_files.ts";
import { withFittingAddons } from "./native_packages.ts";
import { type PackageFiles, readPackageFolders } from "./package_folders.ts";
import { createPackageTally } from "./package_tally.ts";
import { projectNode } from "./project_node.ts";
import { tracedPackages } from "./traced_packages.ts";
import type { PreparedServer, ServerFacts } from "./types.ts";

const NO_PACKAGES: PackageFiles = { contents: [], links: {} };

/** Whether the output has packages where the entry looks for them: then its framework chose them. */
function hasOwnPackages({ entry }: ComputeLayer, { listing }: ServerFacts): boolean {
  return listing.packages.some(({ path }) => {
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
  const kept = await readPackageFolders(listing, tally);
  const traced = hasOwnPackages(layer, facts)
    ? NO_PACKAGES
    : await tracedPackages(host, layer, { facts, tally });
  const node = await projectNode(host, {
    project: facts.projectRoot,
    workspace: facts.workspaceRoot,
    setting: layer.runtime?.nodeVersion ?? settings.nodeVersion,
  });
  const nodeVersion = node.version;
  const contents = await withFittingAddons(host, [...kept.contents, ...traced.contents], {
    built: node.built === undefined ? undefined : majorOf(node.built),
    serving: majorOf(nodeVersion ?? USUAL_NODE),
  });
  const version = nodeVersion === undefined ? {} : { nodeVersion };
  const compiled = await compileEntry(host, layer, facts);
  const launch = launchFiles(compiled.entry, found?.launch);
  const edited = await editedModules(listing.files, layer, found?.launch);
  const packages = tally.total();
  const size = packages.files === 0
    ? ""
    : `; ${formatCount(packages.count, "package")}, ${formatBytes(packages.bytes)}`;
  const name = nodeVersion === undefined ? "Node" : `Node ${nodeVersion}`;
  host.say("build", "info", `Server ${layer.entry} runs on ${name}: ${reason}${size}`);
  return {
    layer: {
      ...layer,
      entry: launch.entry,
      runtime: { ...layer.runtime, engine: "node", ...version },
    },
    report: {
      layer: layer.name,
      entry: launch.entry,
      engine: "node",
      ...version,
      reason,
      packages,
    },
    contents: [...contents, ...edited, ...compiled.contents, ...launch.contents],
    dropped: new Set(),
    links: { ...kept.links, ...traced.links },
  };
}
