/**
 * @module Provides Node for a build: the machine's own installation, or an npm package in the
 * project's cache.
 */
import { join } from "node:path";
import { satisfies, validRange } from "semver";
import { detectProject } from "../../manifest/mod.ts";
import { BuildError } from "../build_error.ts";
import { createFolderReader } from "../folder_reader.ts";
import { nodeVersion } from "../node_version.ts";
import { readProjectNode } from "../project_node.ts";
import { runCommand } from "../run_command.ts";
import type { BuildHost } from "../types.ts";

/** Version formats accepted in the platform's settings: `24`, `24.1`, `24.1.0`. */
const VERSION = /^\d+(\.\d+){0,2}$/;

/** A version range. All of its characters are safe between single quotes. */
const RANGE = /^[\w.<>=^~|*\- ]{1,128}$/;

const ARCHITECTURES: Readonly<Record<string, string>> = { x86_64: "x64", aarch64: "arm64" };

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(({ isFile }) => isFile, () => false);
}

/**
 * Installs a version of Node unless it is already in the cache. Returns the folder to put first in
 * `PATH`.
 */
async function installNode(
  host: BuildHost,
  { version, because, cache }: {
    readonly version: string;
    readonly because: string;
    readonly cache: string;
  },
): Promise<string> {
  const architecture = ARCHITECTURES[Deno.build.arch] ?? Deno.build.arch;
  const name = `node-linux-${architecture}`;
  const folder = join(cache, "node", encodeURIComponent(version));
  const bin = join(folder, "node_modules", name, "bin");
  if (await exists(join(bin, "node"))) {
    host.say("install", "info", `Using Node ${version} (${because})`);
    return bin;
  }
  await Deno.remove(folder, { recursive: true }).catch(() => {});
  await Deno.mkdir(folder, { recursive: true });
  host.say("install", "info", `Installing Node ${version} (${because})`);
  await runCommand(host, {
    phase: "install",
    command: `npm install --no-save --no-package-lock --ignore-scripts --loglevel=error ` +
      `--prefix . '${name}@${version}'`,
    directory: folder,
    variables: {},
  });
  return bin;
}

/**
 * Returns the folder to put first in `PATH`. The folder contains the Node version from the
 * platform's setting, or else the version that the project's files request. Returns `undefined` if
 * the machine's Node is used, for example because it satisfies the request.
 *
 * @throws {BuildError} if the setting is not a version, or the version cannot be installed.
 */
export async function provideNode(
  host: BuildHost,
  options: {
    /** Absolute path of the project's folder. */
    readonly directory: string;
    /** The version from the project's settings on the platform, or null. */
    readonly version: string | null;
    readonly cache: string;
  },
): Promise<string | undefined> {
  const { directory, version, cache } = options;
  if (version !== null) {
    if (!VERSION.test(version)) {
      throw new BuildError(
        "build_failed",
        `Set the Node version to a number such as 24 or 24.1.0, not "${version}"`,
      );
    }
    return await installNode(host, { version, because: "project setting", cache });
  }
  const reader = createFolderReader(directory);
  const { installsIn } = await detectProject(reader);
  const found = await readProjectNode(reader, { installsIn });
  if (found.type === "none") return undefined;
  if (found.type === "unreadable") {
    const { from, text } = found;
    host.say("install", "warn", `Using the system's Node: "${text}" (${from}) is not a version`);
    return undefined;
  }
  const { range, asked, from } = found.node;
  const own = (await nodeVersion(host))?.replace(/^v/, "");
  if (own !== undefined && satisfies(own, asked)) {
    host.say("install", "info", `Using this machine's Node ${own} (${from})`);
    return undefined;
  }
  if (validRange(range) === null || !RANGE.test(range)) {
    host.say(
      "install",
      "warn",
      `Using this machine's Node: cannot install "${range}" (${from})`,
    );
    return undefined;
  }
  return await installNode(host, { version: range, because: from, cache });
}
