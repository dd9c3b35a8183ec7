/**
 * @module Decides whether a server's code shows everything that it loads. If not, all packages are
 * deployed.
 */
import type { ComputeLayer } from "../../manifest/mod.ts";
import type { ServerBundle } from "../../runtime/mod.ts";
import type { BuildHost } from "../types.ts";
import { bundleLayer } from "./bundle_server.ts";
import { describeNeeds } from "./describe_needs.ts";
import type { ServerFacts } from "./types.ts";

/** Describes dynamic loading in a bundle, as a clause. */
function doubtOf(bundle: ServerBundle): string | undefined {
  const [need] = describeNeeds(bundle);
  const [opener] = bundle.openers;
  return need ?? (opener === undefined ? undefined : `"${opener}" can open files`);
}

/**
 * Returns a clause that explains why all packages of a server are deployed. Returns `undefined` if
 * the code shows everything that it loads. The code is bundled only to analyze it.
 */
export async function whyWhole(
  host: BuildHost,
  layer: ComputeLayer,
  { facts, stores, base }: {
    readonly facts: ServerFacts;
    /** Real paths of the folders that contain the server's packages. */
    readonly stores: readonly string[];
    readonly base: string;
  },
): Promise<string | undefined> {
  if (stores.some((store) => !store.startsWith(`${base}/`))) {
    return "node_modules is outside the project";
  }
  const { result } = await bundleLayer(host, layer, facts);
  if (result.ok) return doubtOf(result.bundle);
  const [problem] = result.problems;
  if (problem?.code === "native_addon") return `"${problem.subject}" has a native addon`;
  return `svc cannot follow all of its imports (${problem?.message})`;
}
