/** @module Checks whether a server's native addons can run on the platform. */
import type { OutputContent } from "../hash_files.ts";
import type { BuildHost } from "../types.ts";
import {
  describeSystem,
  isForOneNode,
  packageFamily,
  runsOnServers,
  type System,
  systemOf,
} from "./native_file.ts";
import { packageOfPath } from "./package_tally.ts";

/** Maximum size of an addon to inspect, in bytes. */
const MAX_ADDON = 256 * 1024 * 1024;

interface Addon {
  readonly path: string;
  readonly system: System;
  readonly isForOneNode: boolean;
}

/** Major versions of Node that matter for addons. */
interface NodeMajors {
  /** The Node version that installed the packages, if known. */
  readonly built: string | undefined;
  readonly serving: string;
}

async function addonsOf(contents: readonly OutputContent[]): Promise<Map<string, Addon[]>> {
  const families = new Map<string, Addon[]>();
  for (const { path, content, size } of contents) {
    if (!path.endsWith(".node") || typeof content !== "string" || size > MAX_ADDON) continue;
    const bytes = await Deno.readFile(content);
    const system = systemOf(bytes);
    const name = packageOfPath(path);
    if (system === undefined || name === undefined) continue;
    const family = packageFamily(name);
    families.set(family, [
      ...families.get(family) ?? [],
      { path, system, isForOneNode: isForOneNode(bytes) },
    ]);
  }
  return families;
}

function sayOtherNode(
  host: BuildHost,
  { name, addons, majors: { built, serving } }: {
    readonly name: string;
    readonly addons: readonly Addon[];
    readonly majors: NodeMajors;
  },
): void {
  if (built === undefined || built === serving) return;
  if (!addons.every((addon) => addon.isForOneNode)) return;
  host.say(
    "build",
    "warn",
    `Package "${name}" is compiled for Node ${built}, but the server runs on Node ${serving}: ` +
      `code that uses the package will fail. Install the packages with Node ${serving}, or set ` +
      "engines.node in package.json",
  );
}

/**
 * Leaves out addons for other systems if a package has an addon for the servers' system. Warns
 * about packages that have no such addon, or whose addon is for another version of Node.
 */
export async function withFittingAddons(
  host: BuildHost,
  contents: readonly OutputContent[],
  majors: NodeMajors,
): Promise<readonly OutputContent[]> {
  // On other systems, the platform's processor is not known.
  const arch = Deno.build.os === "linux" ? Deno.build.arch : undefined;
  const dropped = new Set<string>();
  for (const [name, addons] of await addonsOf(contents)) {
    const other = addons.filter(({ system }) => !runsOnServers(system, arch));
    if (other.length < addons.length) {
      for (const { path } of other) dropped.add(path);
      sayOtherNode(host, { name, addons: addons.filter((one) => !other.includes(one)), majors });
      continue;
    }
    const cpu = arch === "aarch64" ? "arm64" : "x64";
    const [{ system }] = addons as [Addon];
    host.say(
      "build",
      "warn",
      `Package "${name}" is installed for ${describeSystem(system)}, but servers run on Linux: ` +
        "code that uses the package will fail. Install it with " +
        `"npm install --os=linux --cpu=${cpu} --libc=glibc ${name}", or deploy with git push to ` +
        "build on the platform",
    );
  }
  return contents.filter(({ path }) => !dropped.has(path));
}
