/**
 * A server for Node itself: its files as they are, with the packages that it needs.
 *
 * @module
 */
import type { ComputeLayer } from "../../manifest/mod.ts";
import { launchFiles } from "./launch_files.ts";
import { readPackageFolders } from "./package_folders.ts";
import type { PreparedServer, ServerFacts } from "./types.ts";

/** Brings along what a server needs that runs on Node. */
export async function nodeServer(
  layer: ComputeLayer,
  facts: ServerFacts,
  reason: string,
): Promise<PreparedServer> {
  const launch = launchFiles(layer.entry, facts.found?.launch);
  const { contents, links } = await readPackageFolders(facts.listing);
  return {
    layer: { ...layer, entry: launch.entry, runtime: { ...layer.runtime, engine: "node" } },
    report: { layer: layer.name, entry: launch.entry, engine: "node", reason },
    contents: [...contents, ...launch.contents],
    dropped: new Set(),
    links,
  };
}
